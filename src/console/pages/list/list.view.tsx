import type { Cause, Origin } from '../../../ledger/cause.js';
import type { FILTER_NAMES } from '../../../suppressions/dto/list.dto.js';
import { createdMsOf } from '../../../suppressions/suppression-id.js';
import type { FoundSuppression } from '../../../suppressions/suppression-lookup.js';
import type { PageProps } from '../../components/console-page.js';
import { CardForm, FilterForm } from '../../components/form.js';
import { DateInputs, Input, Select } from '../../components/inputs.js';
import { ListPage, type List } from '../../components/list-page.js';
import { urlOf } from '../../components/pager.js';
import type { Columns } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { CAUSE_NAMES } from '../../components/words.js';
import { liftFormUrl } from '../lifts/lifts.view.js';

/** Suppressed addresses, with links to their pages. */
export const SUPPRESSION_COLUMNS: Columns<FoundSuppression> = {
  Address: ({ email }) => <a href={urlOf('/console', { q: email })}>{email}</a>,
  'Strongest cause': ({ cause }) => CAUSE_NAMES[cause],
  Added: ({ id }) => <Timestamp at={new Date(createdMsOf(id))} />,
};

/** The filter as the person entered it. */
export type ListFilter = Record<(typeof FILTER_NAMES)[number], string>;

interface SuppressionsPageProps extends PageProps {
  filter: ListFilter;
  list?: List<FoundSuppression>;
}

const ORIGIN_NAMES: Record<Origin, string> = { bounce: 'Bounce', complaint: 'Complaint', manual: 'Other' };

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

export function SuppressionsPage({ visitor, filter, list }: SuppressionsPageProps) {
  return (
    <ListPage
      visitor={visitor}
      title="List"
      path="/console/list"
      above={
        <FilterForm action="/console/list" values={filter}>
          <Select name="cause" label="Cause" none="Any" choices={CAUSE_NAMES} />
          <Select name="origin" label="Strongest cause" none="Any" choices={ORIGIN_NAMES} />
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
          ? 'No suppression matches.'
          : 'The list is empty. Import the suppressions of another provider, or add a source that reports bounces.'
      }
    >
      {list && (
        <CardForm
          title="Export"
          intro="All suppressions that match the filter, as a file."
          action="/console/list/export"
          method="get"
          hidden={filter}
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
