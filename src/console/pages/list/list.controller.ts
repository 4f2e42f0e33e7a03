import { Get, Query, Req, Res } from '@nestjs/common';
import type { Request } from 'express';
import { parseDomain } from '../../../email-address/domain.js';
import { ExportDto } from '../../../exports/dto/export.dto.js';
import { ExportsService } from '../../../exports/exports.service.js';
import { MAX_OPEN_FILES } from '../../../files/file-limits.js';
import { ValidationError } from '../../../http/errors/errors.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import type { TracedResponse } from '../../../http/responses/response.js';
import { sendStream } from '../../../http/responses/send-stream.js';
import { Route } from '../../../http/route-options.js';
import { FILTER_NAMES } from '../../../suppressions/dto/filter.dto.js';
import { ListDto } from '../../../suppressions/dto/list.dto.js';
import { SuppressionsService } from '../../../suppressions/suppressions.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { readAs, textOf, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { actorOfVisitor, CurrentVisitor } from '../../access/visitor.js';
import { quote } from '../../components/words.js';
import type { Visitor } from '../../people/sessions.service.js';
import { ListPage, type EnteredFilter } from './list.view.js';

const ROWS = '50';
const EXPORT_TIME_LIMIT_MS = 60 * 60_000;

@ConsoleController('list')
@RequireRole('viewer')
export class ListController {
  constructor(
    private readonly suppressions: SuppressionsService,
    private readonly exports: ExportsService,
  ) {}

  @Get()
  show(@CurrentVisitor() visitor: Visitor, @Query() query: Fields): Promise<HtmlResponse> {
    const entered = filterIn(query);
    const [after, before] = [textOf(query, 'after'), textOf(query, 'before')];
    return submit(
      async () => {
        requireDomain(entered.domain);
        const list = await readAs(ListDto, { ...entered, after, before, limit: ROWS });
        const page = await this.suppressions.list(visitor.accountId, list.limit, list.toFilter());
        return ListPage({ visitor, entered, cursor: list, page });
      },
      (problem) => ListPage({ visitor, entered, problem }),
    );
  }

  @Get('export')
  @Route({ response: 'stream', maxOpen: MAX_OPEN_FILES, timeLimitMs: EXPORT_TIME_LIMIT_MS })
  async export(
    @CurrentVisitor() visitor: Visitor,
    @Query() query: Fields,
    @Req() request: Request,
    @Res() response: TracedResponse,
  ): Promise<void> {
    const format = textOf(query, 'format') || 'csv';
    const spreadsheet = String(format === 'csv');
    const asked = await readAs(ExportDto, { ...filterIn(query), format, spreadsheet });
    const writer = asked.toWriter();
    const exporting = { actor: actorOfVisitor(visitor), parameters: asked.toParameters() };
    const pieces = this.exports.write(visitor.accountId, exporting, asked.toFilter(), writer);
    await sendStream(request, response, pieces, {
      contentType: writer.contentType,
      filename: `suppressions.${writer.extension}`,
    });
  }
}

/** @throws {ValidationError} if the person entered something else */
function requireDomain(domain: string): void {
  if (domain !== '' && typeof parseDomain(domain) !== 'string') {
    throw ValidationError.ofRequest(`${quote(domain)} is not a domain. Enter one such as example.com.`);
  }
}

function filterIn(query: Fields): EnteredFilter {
  return Object.fromEntries(FILTER_NAMES.map((name) => [name, textOf(query, name)])) as EnteredFilter;
}
