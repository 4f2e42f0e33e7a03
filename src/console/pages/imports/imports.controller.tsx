import { Get, Post, Req, Res } from '@nestjs/common';
import type { Request } from 'express';
import { AccountsService } from '../../../accounts/accounts.service.js';
import { ReceivedForm, type FileForm } from '../../../http/body/unread-body.js';
import type { FormProblem, FormRules } from '../../../http/body/multipart-file.js';
import { ValidationError } from '../../../http/errors/errors.js';
import { MAX_LIMIT } from '../../../http/page.js';
import { SeeOther, type HtmlResponse } from '../../../http/responses/html-response.js';
import type { TracedResponse } from '../../../http/responses/response.js';
import { sendStream } from '../../../http/responses/send-stream.js';
import { FILE_DOWNLOAD, FILE_UPLOAD, Route } from '../../../http/route.js';
import { CreateImportDto } from '../../../imports/create-import.dto.js';
import { titleOf, toErrorsCsv } from '../../../imports/import.dto.js';
import type { FoundImport, StoredError } from '../../../imports/imports.repository.js';
import { ImportsService } from '../../../imports/imports.service.js';
import { ImportId } from '../../../imports/operations.js';
import { TopicsService } from '../../../topics/topics.service.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, readAs, readList, submit, type Visit } from '../../access/visit.js';
import { ConfirmationPage } from '../../components/confirmation.js';
import { Timestamp } from '../../components/content.js';
import { ListPage } from '../../components/list.js';
import { canBeReverted, ImportPage, StatusBadge } from './import.view.js';
import { formatName, UploadCard } from './upload-card.view.js';

const CHOOSE_FILE = 'Choose a file.';

const PROBLEMS: Record<FormProblem, string> = {
  incomplete: 'The form did not arrive completely. Choose the file again, and send the form once more.',
  'no boundary': CHOOSE_FILE,
  'no file': CHOOSE_FILE,
  'other part':
    'Send one file, in the field of the form for it. Reload the page, and fill in the form again.',
  'long value': 'A field of the form is too long. Shorten it, and send the form again.',
};

const UPLOAD_RULES: FormRules = {
  maxFields: 20,
  refusal: (problem) => ValidationError.ofRequest(PROBLEMS[problem]),
};

const ROWS = 20;

@ConsoleController('imports', 'viewer')
export class ImportsPageController {
  constructor(
    private readonly imports: ImportsService,
    private readonly topics: TopicsService,
    private readonly accounts: AccountsService,
  ) {}

  @Get()
  list(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return this.listPage(visit);
  }

  @Post()
  @RequireRole('editor')
  @Route(FILE_UPLOAD)
  create(
    @CurrentVisit() visit: Visit,
    @ReceivedForm(UPLOAD_RULES) receiveForm: () => Promise<FileForm>,
  ): Promise<HtmlResponse> {
    return submit(
      visit,
      async () => leadTo(await this.upload(visit, await receiveForm())),
      (refused) => this.listPage(refused),
    );
  }

  @Get(':import')
  show(@CurrentVisit() visit: Visit, @ImportId id: string): Promise<HtmlResponse> {
    return this.importPage(visit, id);
  }

  @Get(':import/errors')
  @Route(FILE_DOWNLOAD)
  async errors(
    @CurrentVisit() { accountId }: Visit,
    @ImportId id: string,
    @Req() request: Request,
    @Res() response: TracedResponse,
  ): Promise<void> {
    const errors = await this.imports.errors(accountId, id);
    await sendStream(request, response, toErrorsCsv(errors, true), {
      contentType: 'text/csv; charset=utf-8',
      filename: `import-${id}-errors.csv`,
    });
  }

  @Post(':import/import')
  @RequireRole('editor')
  importChecked(@CurrentVisit() visit: Visit, @ImportId id: string): Promise<HtmlResponse> {
    return this.change(visit, id, () => this.imports.importChecked(visit.context, id));
  }

  @Post(':import/cancel')
  @RequireRole('editor')
  cancel(@CurrentVisit() visit: Visit, @ImportId id: string): Promise<HtmlResponse> {
    return this.change(visit, id, () => this.imports.cancel(visit.context, id));
  }

  @Get(':import/revert')
  confirmRevert(@CurrentVisit() visit: Visit, @ImportId id: string): Promise<HtmlResponse> {
    return this.revertPage(visit, id);
  }

  @Post(':import/revert')
  @RequireRole('editor')
  revert(@CurrentVisit() visit: Visit, @ImportId id: string): Promise<HtmlResponse> {
    return this.change(visit, id, () => this.imports.revert(visit.context, id));
  }

  private async upload(visit: Visit, { fields, file, filename }: FileForm): Promise<FoundImport> {
    visit.form = fields;
    const newImport = (await readAs(CreateImportDto, fields)).toNewImport(filename);
    return this.imports.create(visit.context, newImport, file);
  }

  /** @param work - returns the import whose page follows */
  private async change(visit: Visit, id: string, work: () => Promise<FoundImport>): Promise<HtmlResponse> {
    await this.imports.get(visit.accountId, id);
    return submit(
      visit,
      async () => leadTo(await work()),
      (refused) => this.importPage(refused, id),
    );
  }

  private async listPage(visit: Visit): Promise<HtmlResponse> {
    const { accountId } = visit;
    const list = await readList(visit, ROWS, ({ limit, after }) =>
      this.imports.list(accountId, limit, after),
    );
    const topics = await this.topics.page(accountId, { limit: MAX_LIMIT });
    return (
      <ListPage
        visitor={visit}
        title="Imports"
        path="/console/imports"
        intro="Import suppressions from another provider. Each address keeps its cause and its date. An import only adds, and can be reverted."
        above={visit.isEditor && <UploadCard topics={topics} isOpen={visit.problem !== undefined} />}
        listTitle="Earlier imports"
        list={list}
        isForwardOnly
        columns={{
          Import: (job) => <a href={`/console/imports/${job.id}`}>{titleOf(job)}</a>,
          Status: (job) => <StatusBadge job={job} />,
          Format: ({ plan }) => formatName(plan.format),
          Rows: ({ progress }) => progress.rows.toLocaleString('en'),
          Started: ({ createdAt }) => <Timestamp at={createdAt} />,
        }}
        numbers={['Rows']}
        empty="No imports yet. Checking a file changes nothing and shows what an import would do."
      />
    );
  }

  private async importPage(visit: Visit, id: string): Promise<HtmlResponse> {
    const { accountId } = visit;
    const job = await this.imports.get(accountId, id);
    const errors = await firstOf(await this.imports.errors(accountId, id));
    const [topic] = await this.topics.findEvenArchived(accountId, job.topicId ? [job.topicId] : []);
    const topics = await this.topics.page(accountId, { limit: MAX_LIMIT });
    return ImportPage({ visitor: visit, job, errors, topic, topics });
  }

  private async revertPage(visit: Visit, id: string): Promise<HtmlResponse> {
    const job = await this.imports.get(visit.accountId, id);
    const { removal } = await this.accounts.getById(visit.accountId);
    if (!canBeReverted(job)) {
      return leadTo(job);
    }
    const path = `/console/imports/${job.id}`;
    const { added, strengthened } = job.progress;
    return (
      <ConfirmationPage
        visitor={visit}
        title="Revert this import?"
        section="/console/imports"
        action={`${path}/revert`}
        submit="Revert this import"
        back={path}
      >
        <p>{titleOf(job)}</p>
        <ul class="steps">
          {job.topicId ? (
            <li>Recipients that it opted out: {added.toLocaleString('en')}.</li>
          ) : (
            <li>
              Addresses that it added: {added.toLocaleString('en')}. Addresses that it gave another cause:{' '}
              {strengthened.toLocaleString('en')}.
            </li>
          )}
          <li>
            Reverting undoes these changes, except where something has changed since. Addresses without
            another cause may be mailed again.
          </li>
          {removal === 'guarded' && !job.topicId && (
            <li>
              This includes spam complaints and unsubscribes of the file. Although this account guards
              removals, a revert requires no consent.
            </li>
          )}
          <li>
            A revert can be neither cancelled nor undone. To add the addresses again, import the file again.
          </li>
        </ul>
      </ConfirmationPage>
    );
  }
}

function leadTo({ id }: FoundImport): HtmlResponse {
  return new SeeOther(`/console/imports/${id}`);
}

async function firstOf(pages: AsyncIterable<StoredError[]>): Promise<StoredError[]> {
  for await (const errors of pages) {
    return errors;
  }
  return [];
}
