import { Get, Req, Res } from '@nestjs/common';
import type { Request } from 'express';
import { parseDomain } from '../../../email-address/email-address.js';
import { ExportDto } from '../../../exports/export.dto.js';
import { ExportsService } from '../../../exports/exports.service.js';
import { MAX_OPEN_FILES } from '../../../files/file-limits.js';
import { ValidationError } from '../../../http/errors/errors.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import type { TracedResponse } from '../../../http/responses/response.js';
import { sendStream } from '../../../http/responses/send-stream.js';
import { Route } from '../../../http/route.js';
import { FILTER_NAMES, ListDto } from '../../../suppressions/dto/list.dto.js';
import type { FoundSuppression } from '../../../suppressions/suppression-lookup.js';
import { SuppressionsService } from '../../../suppressions/suppressions.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { CurrentVisit, cursorIn, readAs, type Visit } from '../../access/visit.js';
import { submit } from '../../access/submit.js';
import { pick, textOf, type Fields } from '../../components/form.js';
import type { List } from '../../components/list-page.js';
import { quote } from '../../components/words.js';
import { SuppressionsPage, type ListFilter } from './list.view.js';

const ROWS = '50';
const EXPORT_TIME_LIMIT_MS = 60 * 60_000;

@ConsoleController('list', 'viewer')
export class ListController {
  constructor(
    private readonly suppressions: SuppressionsService,
    private readonly exports: ExportsService,
  ) {}

  @Get()
  show(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    const filter = filterIn(visit.query);
    return submit(
      visit,
      async () => SuppressionsPage({ visitor: visit, filter, list: await this.read(visit, filter) }),
      (refused) => SuppressionsPage({ visitor: refused, filter }),
    );
  }

  @Get('export')
  @Route({ response: 'stream', maxOpen: MAX_OPEN_FILES, timeLimitMs: EXPORT_TIME_LIMIT_MS })
  async export(
    @CurrentVisit() { context, query }: Visit,
    @Req() request: Request,
    @Res() response: TracedResponse,
  ): Promise<void> {
    const format = textOf(query, 'format') || 'csv';
    const spreadsheet = String(format === 'csv');
    const asked = await readAs(ExportDto, { ...filterIn(query), format, spreadsheet });
    const writer = asked.toWriter();
    const exporting = { ...context, parameters: asked.toParameters() };
    const pieces = this.exports.write(exporting, asked.toFilter(), writer);
    await sendStream(request, response, pieces, {
      contentType: writer.contentType,
      filename: `suppressions.${writer.extension}`,
    });
  }

  private async read({ accountId, query }: Visit, filter: ListFilter): Promise<List<FoundSuppression>> {
    requireDomain(filter.domain);
    const asked = await readAs(ListDto, { ...filter, ...cursorIn(query), limit: ROWS });
    const page = await this.suppressions.list(accountId, asked.limit, asked.toFilter());
    return { ...page, cursor: asked };
  }
}

/** @throws {ValidationError} if the person entered something else */
function requireDomain(domain: string): void {
  if (domain !== '' && typeof parseDomain(domain) !== 'string') {
    throw ValidationError.ofRequest(`${quote(domain)} is not a domain. Enter one such as example.com.`);
  }
}

function filterIn(query: Fields): ListFilter {
  return pick(query, FILTER_NAMES);
}
