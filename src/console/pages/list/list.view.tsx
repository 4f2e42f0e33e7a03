import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import { CAUSES, type Cause, type Origin } from '../../../ledger/cause.js';
import type { FILTER_NAMES } from '../../../suppressions/dto/filter.dto.js';
import type { FoundSuppression } from '../../../suppressions/suppression-lookup.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { DateInputs } from '../../components/date-inputs.js';
import { Hidden, Input, Select } from '../../components/form.js';
import { Pager, type PageCursor } from '../../components/pager.js';
import { SuppressionsTable } from '../../components/suppressions-table.js';
import { CAUSE_NAMES } from '../../components/words.js';
import { liftFormUrl } from '../lifts/lift-link.js';

/** The filter as the person entered it. */
export type EnteredFilter = Record<(typeof FILTER_NAMES)[number], string>;

interface ListPageProps extends PageProps {
  entered: EnteredFilter;
  cursor?: PageCursor;
  page?: Page<FoundSuppression>;
}

const CAUSE_CHOICES = [
  { value: '', label: 'Any' },
  ...CAUSES.map((cause) => ({ value: cause, label: CAUSE_NAMES[cause] })),
];

const ORIGIN_CHOICES = [
  { value: '', label: 'Any' },
  { value: 'bounce', label: 'Bounce' },
  { value: 'complaint', label: 'Complaint' },
  { value: 'manual', label: 'Other' },
] satisfies { value: Origin | ''; label: string }[];

const EXPORT_CHOICES = [
  { value: 'csv', label: 'CSV' },
  { value: 'ndjson', label: 'NDJSON' },
  { value: 'ses', label: 'For Amazon SES' },
  { value: 'sendgrid', label: 'For SendGrid' },
  { value: 'mailgun', label: 'For Mailgun (filter by a cause first)' },
  { value: 'postmark', label: 'For Postmark' },
  { value: 'sha256', label: 'SHA-256 hashes' },
  { value: 'md5', label: 'MD5 hashes' },
];

export function ListPage({ entered, cursor = {}, page, ...props }: ListPageProps): JSX.Element {
  return (
    <ConsolePage {...props} title="List" section="/console/list">
      <form class="card" method="get" action="/console/list">
        <div class="row">
          <Select name="cause" label="Cause" value={entered.cause} choices={CAUSE_CHOICES} />
          <Select name="origin" label="Strongest cause" value={entered.origin} choices={ORIGIN_CHOICES} />
          <Input
            name="domain"
            label="Domain"
            value={entered.domain}
            optional={false}
            placeholder="example.com"
          />
          <DateInputs entered={entered} />
          <button class="primary" type="submit">
            Filter
          </button>
        </div>
      </form>
      {page && (
        <section class="card">
          {entered.cause && (
            <p class="muted">
              Addresses with the cause “{CAUSE_NAMES[entered.cause as Cause]}”, even if it is not their
              strongest.
            </p>
          )}
          <SuppressionsTable
            caption="Suppressed addresses, newest first"
            suppressions={page.elements}
            empty={
              Object.values(entered).some(Boolean)
                ? 'No suppression matches.'
                : 'The list is empty. Import the suppressions of another provider, or add a source that reports bounces.'
            }
          />
          <Pager path="/console/list" query={entered} cursor={cursor} page={page} />
          {page.elements.length > 0 && (entered.cause === 'bounce' || entered.cause === 'manual') && (
            <p>
              <a href={liftFormUrl({ ...entered, cause: entered.cause, domains: entered.domain })}>
                Were many of them suppressed by mistake?
              </a>
            </p>
          )}
        </section>
      )}
      {page && <ExportForm entered={entered} />}
    </ConsolePage>
  );
}

function ExportForm({ entered }: { entered: EnteredFilter }): JSX.Element {
  return (
    <section class="card">
      <h2>Export</h2>
      <p class="muted">All suppressions that match the filter, as a file.</p>
      <form class="row" method="get" action="/console/list/export">
        <Hidden values={entered} />
        <Select name="format" label="Format" choices={EXPORT_CHOICES} />
        <button type="submit">Download</button>
      </form>
    </section>
  );
}
