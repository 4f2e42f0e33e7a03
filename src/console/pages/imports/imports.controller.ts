import { Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request } from 'express';
import { AccountsService } from '../../../accounts/accounts.service.js';
import { Context, type RequestContext } from '../../../audit/request-context.js';
import { spreadsheetField } from '../../../files/csv-text.js';
import { MAX_FILE_BYTES, MAX_OPEN_FILES } from '../../../files/file-limits.js';
import { ReceivedForm, type FileForm } from '../../../http/body/file-body.js';
import { MAX_LIMIT } from '../../../http/page.js';
import { HtmlPage, SeeOther, type HtmlResponse } from '../../../http/responses/html-response.js';
import type { TracedResponse } from '../../../http/responses/response.js';
import { Route } from '../../../http/route-options.js';
import { sendStream } from '../../../http/responses/send-stream.js';
import { CreateImportDto } from '../../../imports/dto/create-import.dto.js';
import { ImportCursorDto } from '../../../imports/dto/import.dto.js';
import { toErrorsCsv } from '../../../imports/errors-csv.js';
import { ImportIdPipe } from '../../../imports/import-id.pipe.js';
import type { FoundImport, StoredError } from '../../../imports/imports.repository.js';
import { ImportsService } from '../../../imports/imports.service.js';
import { TopicsRepository } from '../../../topics/topics.repository.js';
import { TopicsService } from '../../../topics/topics.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { readAs, textOf, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { CurrentVisitor } from '../../access/visitor.js';
import type { PageProps } from '../../components/console-page.js';
import type { Visitor } from '../../people/sessions.service.js';
import { UPLOAD_RULES } from './upload-rules.js';
import { canBeReverted, isUnderWay } from './import-words.js';
import { ImportPage } from './import.view.js';
import { ImportsPage } from './imports.view.js';
import { groupRefused } from './refused-rows.js';
import { RevertPage } from './revert.view.js';

const ROWS = '20';
const TIME_LIMIT_MS = 60 * 60_000;

@ConsoleController('imports')
@RequireRole('viewer')
export class ImportsPageController {
  constructor(
    private readonly imports: ImportsService,
    private readonly topics: TopicsService,
    private readonly topicsRepository: TopicsRepository,
    private readonly accounts: AccountsService,
  ) {}

  @Get()
  list(@CurrentVisitor() visitor: Visitor, @Query() query: Fields): Promise<HtmlResponse> {
    return this.listPage({ visitor }, textOf(query, 'after'));
  }

  @Post()
  @RequireRole('editor')
  @Route({
    body: 'unread',
    bodyLimit: MAX_FILE_BYTES,
    maxOpen: MAX_OPEN_FILES,
    timeLimitMs: TIME_LIMIT_MS,
  })
  create(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @ReceivedForm(UPLOAD_RULES) receiveForm: () => Promise<FileForm>,
  ): Promise<HtmlResponse> {
    let entered: Fields = {};
    return submit(
      async () => {
        const { fields, filename, file, isCompressed } = await receiveForm();
        entered = fields;
        const asked = (await readAs(CreateImportDto, fields)).toNewImport(filename);
        const { id } = await this.imports.create(context, asked, undefined, file, isCompressed);
        return new SeeOther(`/console/imports/${id}`);
      },
      (problem) => this.listPage({ visitor, problem }, '', entered),
    );
  }

  @Get(':import')
  async show(
    @CurrentVisitor() visitor: Visitor,
    @Param('import', ImportIdPipe) id: string,
  ): Promise<HtmlResponse> {
    return this.importPage({ visitor }, id);
  }

  @Get(':import/errors')
  @Route({ response: 'stream', maxOpen: MAX_OPEN_FILES, timeLimitMs: TIME_LIMIT_MS })
  async errors(
    @CurrentVisitor() { accountId }: Visitor,
    @Param('import', ImportIdPipe) id: string,
    @Req() request: Request,
    @Res() response: TracedResponse,
  ): Promise<void> {
    const errors = await this.imports.errors(accountId, id);
    await sendStream(request, response, toErrorsCsv(errors, spreadsheetField), {
      contentType: 'text/csv; charset=utf-8',
      filename: `import-${id}-errors.csv`,
    });
  }

  @Post(':import/import')
  @RequireRole('editor')
  importChecked(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('import', ImportIdPipe) id: string,
  ): Promise<HtmlResponse> {
    return this.change(visitor, id, () => this.imports.importChecked(context, id));
  }

  @Post(':import/cancel')
  @RequireRole('editor')
  cancel(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('import', ImportIdPipe) id: string,
  ): Promise<HtmlResponse> {
    return this.change(visitor, id, () => this.imports.cancel(context, id));
  }

  @Get(':import/revert')
  async confirmRevert(
    @CurrentVisitor() visitor: Visitor,
    @Param('import', ImportIdPipe) id: string,
  ): Promise<HtmlResponse> {
    const found = await this.imports.get(visitor.accountId, id);
    const { removal } = await this.accounts.getById(visitor.accountId);
    return canBeReverted(found)
      ? RevertPage({ visitor, found, isGuarded: removal === 'guarded' })
      : new SeeOther(`/console/imports/${found.id}`);
  }

  @Post(':import/revert')
  @RequireRole('editor')
  revert(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('import', ImportIdPipe) id: string,
  ): Promise<HtmlResponse> {
    return this.change(visitor, id, () => this.imports.revert(context, id));
  }

  /** @param work - returns the import whose page follows */
  private async change(
    visitor: Visitor,
    id: string,
    work: () => Promise<FoundImport>,
  ): Promise<HtmlResponse> {
    await this.imports.get(visitor.accountId, id);
    return submit(
      async () => new SeeOther(`/console/imports/${(await work()).id}`),
      (problem) => this.importPage({ visitor, problem }, id),
    );
  }

  private async listPage(props: PageProps, cursor: string, entered?: Fields) {
    const { after, limit } = await readAs(ImportCursorDto, { after: cursor, limit: ROWS });
    const { accountId } = props.visitor;
    const page = await this.imports.list(accountId, limit, after);
    const topics = await this.topics.page(accountId, { limit: MAX_LIMIT });
    return ImportsPage({ ...props, page, after, topics, ...(entered && { entered }) });
  }

  private async importPage(props: PageProps, id: string): Promise<HtmlPage> {
    const { accountId } = props.visitor;
    const found = await this.imports.get(accountId, id);
    const errors = await firstOf(await this.imports.errors(accountId, id));
    const refused = groupRefused(errors, found.progress.invalid);
    const [topic] = await this.topicsRepository.findByIds(accountId, found.topicId ? [found.topicId] : []);
    const topics = await this.topics.page(accountId, { limit: MAX_LIMIT });
    const document = ImportPage({ ...props, found, refused, topic, topics });
    return new HtmlPage(document, { script: isUnderWay(found) });
  }
}

async function firstOf(pages: AsyncIterable<StoredError[]>): Promise<StoredError[]> {
  for await (const errors of pages) {
    return errors;
  }
  return [];
}
