import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import type { ListDto } from '../../../suppressions/dto/list.dto.js';
import type { FoundSuppression } from '../../../suppressions/suppression-lookup.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Input, Select } from '../../components/form.js';
import { Pager, urlOf } from '../../components/pager.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { CAUSE_NAMES } from '../../components/words.js';

/** The filter as the person entered it. */
export type EnteredFilter = Record<'origin' | 'domain' | 'created_after' | 'created_before', string>;

interface ListPageProps extends PageProps {
  entered: EnteredFilter;
  cursor?: Pick<ListDto, 'after' | 'before'>;
  page?: Page<FoundSuppression>;
}

const ORIGIN_CHOICES = [
  { value: '', label: 'Any' },
  { value: 'bounce', label: 'Bounce' },
  { value: 'complaint', label: 'Spam complaint' },
  { value: 'manual', label: 'By hand or unsubscribe' },
];

const EXPORT_CHOICES = [
  { value: 'csv', label: 'CSV' },
  { value: 'ndjson', label: 'NDJSON' },
  { value: 'ses', label: 'for Amazon SES' },
  { value: 'sendgrid', label: 'for SendGrid' },
  { value: 'postmark', label: 'for Postmark' },
  { value: 'sha256', label: 'SHA-256 hashes' },
];

export function ListPage({ entered, cursor = {}, page, ...props }: ListPageProps): JSX.Element {
  return (
    <ConsolePage {...props} title="List" section="/console/list">
      <form class="card" method="get" action="/console/list">
        <div class="row">
          <Select name="origin" label="Cause" value={entered.origin} choices={ORIGIN_CHOICES} />
          <Input name="domain" label="Domain" value={entered.domain} placeholder="example.com" />
          <Input name="created_after" label="After" type="date" value={entered.created_after} />
          <Input name="created_before" label="Before" type="date" value={entered.created_before} />
          <button class="primary" type="submit">
            Filter
          </button>
        </div>
      </form>
      {page && (
        <section class="card">
          <Table
            caption="Suppressed addresses, newest first"
            columns={['Address', 'Strongest cause', 'Since']}
            rows={page.elements.map(({ id, email, cause, createdAt }) => ({
              key: id,
              cells: [
                <a key="email" href={urlOf('/console', { q: email })}>
                  {email}
                </a>,
                CAUSE_NAMES[cause],
                <Timestamp key="since" at={new Date(`${createdAt.replace(' ', 'T')}Z`)} />,
              ],
            }))}
            empty="No suppression matches."
          />
          <Pager
            path="/console/list"
            query={entered}
            cursor={cursor}
            ids={page.elements.map(({ id }) => id)}
            hasMore={page.hasMore}
          />
        </section>
      )}
      <ExportForm entered={entered} />
    </ConsolePage>
  );
}

function ExportForm({ entered }: { entered: EnteredFilter }): JSX.Element {
  return (
    <section class="card">
      <h2>Export</h2>
      <p class="muted">All suppressions that match the filter, as a file.</p>
      <form class="row" method="get" action="/console/list/export">
        {Object.entries(entered)
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
        <Select name="format" label="Format" choices={EXPORT_CHOICES} />
        <button type="submit">Download</button>
      </form>
    </section>
  );
}
