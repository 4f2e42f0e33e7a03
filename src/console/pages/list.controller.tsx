import { Get, Req, Res } from '@nestjs/common';
import type { Request } from 'express';
import { parseDomain } from '../../email-address/email-address.js';
import { ExportDto } from '../../exports/export.dto.js';
import { ExportsService } from '../../exports/exports.service.js';
import { ValidationError } from '../../http/errors/errors.js';
import type { HtmlResponse } from '../../http/responses/html-response.js';
import type { TracedResponse } from '../../http/responses/response.js';
import { sendStream } from '../../http/responses/send-stream.js';
import { FILE_DOWNLOAD, Route } from '../../http/route.js';
import type { Cause, Origin } from '../../ledger/cause.js';
import { FILTER_NAMES, ListDto } from '../../suppressions/dto/list.dto.js';
import { createdMsOf } from '../../suppressions/suppression-id.js';
import type { FoundSuppression } from '../../suppressions/suppression-lookup.js';
import { SuppressionsService } from '../../suppressions/suppressions.service.js';
import { ConsoleController, RequireRole } from '../access/console-controller.decorator.js';
import { CurrentVisit, readAs, readFiltered, submit, type Visit } from '../access/visit.js';
import { CardForm, type Fields, FilterForm, justBefore, pick, textOf } from '../components/form.js';
import { DateInputs, Input, Select } from '../components/inputs.js';
import { type Columns, type List, ListPage, urlOf } from '../components/list.js';
import { Timestamp } from '../components/content.js';
import { CAUSE_NAMES, quote } from '../components/words.js';
import { liftFormUrl } from './lifts/lift-form.view.js';

const ROWS = '50';

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
      async () => this.page(visit, filter, await this.read(visit, filter)),
      (refused) => this.page(refused, filter),
    );
  }

  @Get('export')
  @RequireRole('admin')
  @Route(FILE_DOWNLOAD)
  async export(
    @CurrentVisit() { context, query }: Visit,
    @Req() request: Request,
    @Res() response: TracedResponse,
  ): Promise<void> {
    const format = textOf(query, 'format') || 'csv';
    const spreadsheet = String(format === 'csv');
    const asked = await readAs(ExportDto, { ...conditionsOf(filterIn(query)), format, spreadsheet });
    const content = asked.toContent();
    const exporting = { ...context, parameters: asked.toParameters() };
    const { pieces } = await this.exports.start(exporting, content);
    await sendStream(request, response, pieces, {
      contentType: content.writer.contentType,
      filename: `suppressions.${content.writer.extension}`,
    });
  }

  private page(visit: Visit, filter: ListFilter, list?: List<FoundSuppression>): HtmlResponse {
    return (
      <ListPage
        visitor={visit}
        title="List"
        path="/console/list"
        above={
          <FilterForm action="/console/list" values={filter}>
            <Select name="cause" label="Cause" emptyLabel="Any" choices={CAUSE_NAMES} />
            <Select name="origin" label="Strongest cause" emptyLabel="Any" choices={ORIGIN_NAMES} />
            <Input name="domain" label="Domain" optional={false} placeholder="example.com" />
            <DateInputs />
          </FilterForm>
        }
        header={
          filter.cause && (
            <p class="muted">
              Addresses with the cause “{CAUSE_NAMES[filter.cause as Cause]}”, even if it is not their
              strongest.
            </p>
          )
        }
        caption="Suppressed addresses, newest first"
        list={list}
        query={filter}
        columns={SUPPRESSION_COLUMNS}
        footer={list && list.elements.length > 0 && <LiftLink filter={filter} />}
        empty={
          Object.values(filter).some(Boolean)
            ? 'No matching suppressions.'
            : 'The list is empty. Import the suppressions of another provider, or add a source that reports bounces.'
        }
      >
        {list && visit.isAdmin && (
          <CardForm
            title="Export"
            intro="All suppressions that match the filter, as a file."
            action="/console/list/export"
            method="get"
            hidden={{ ...filter, account: visit.accountName }}
            submit="Download"
            tone="plain"
            isRow
          >
            <Select name="format" label="Format" choices={EXPORT_FORMATS} />
          </CardForm>
        )}
      </ListPage>
    );
  }

  private read(visit: Visit, filter: ListFilter): Promise<List<FoundSuppression>> {
    requireDomain(filter.domain);
    return readFiltered(ListDto, visit, { ...conditionsOf(filter), limit: ROWS }, (asked) =>
      this.suppressions.list(visit.accountId, asked.limit, asked.toFilter()),
    );
  }
}

/** @throws {ValidationError} if the person entered something else */
function requireDomain(domain: string): void {
  if (domain !== '' && typeof parseDomain(domain) !== 'string') {
    throw ValidationError.ofRequest(`${quote(domain)} is not a domain. Enter one such as example.com.`);
  }
}

function filterIn(query: Fields): ListFilter {
  const filter = pick(query, FILTER_NAMES);
  return { ...filter, domain: filter.domain.replace(/^@/, '') };
}

/** The filter as the API takes it. */
function conditionsOf(filter: ListFilter): ListFilter {
  return { ...filter, created_after: justBefore(filter.created_after) };
}

/** Suppressed addresses, with links to their pages. */
export const SUPPRESSION_COLUMNS: Columns<FoundSuppression> = {
  Address: ({ email }) => <a href={urlOf('/console', { q: email })}>{email}</a>,
  'Strongest cause': ({ cause }) => CAUSE_NAMES[cause],
  Added: ({ id }) => <Timestamp at={new Date(createdMsOf(id))} />,
};

/** The filter as the person entered it. */
type ListFilter = Record<(typeof FILTER_NAMES)[number], string>;

const ORIGIN_NAMES: Record<Origin, string> = {
  bounce: CAUSE_NAMES.bounce,
  complaint: CAUSE_NAMES.complaint,
  manual: 'Added by hand, or unsubscribe',
};

const EXPORT_FORMATS = {
  csv: 'CSV',
  ndjson: 'NDJSON',
  ses: 'For Amazon SES',
  sendgrid: 'For SendGrid',
  mailgun: 'For Mailgun (filter by a cause first)',
  postmark: 'For Postmark',
  sha256: 'SHA-256 hashes',
  md5: 'MD5 hashes',
};

function LiftLink({ filter }: { filter: ListFilter }) {
  const { cause, domain } = filter;
  return cause === 'bounce' || cause === 'manual' ? (
    <p>
      <a href={liftFormUrl({ ...filter, cause, domains: domain })}>
        Were many of them suppressed by mistake?
      </a>
    </p>
  ) : null;
}
