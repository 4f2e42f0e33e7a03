import type { JSX } from 'preact';
import { sourceName } from '../../../audit/actor.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { urlOf } from '../../components/pager.js';
import { SCRIPT_URL } from '../../components/script.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { WebhookStatus } from '../webhooks/webhooks.view.js';
import { daysOf } from './chart.view.js';
import type { Counted } from './latest-counts.js';
import type { Overview } from './overviews.js';
import { Figures, Changes } from './counts.view.js';

/** Rows of what needs attention. */
const MAX_ROWS = 20;

const NOT_AVAILABLE = 'The count takes too long. Reload the page in a minute.';

export function isBeingCounted({ summary, changes }: Overview): boolean {
  return summary === null || changes === null;
}

export function OverviewPage({ overview, ...props }: PageProps & { overview: Overview }): JSX.Element {
  const { summary, days, changes, silent, failing } = overview;
  const script = isBeingCounted(overview) ? SCRIPT_URL : undefined;
  return (
    <ConsolePage {...props} title="Overview" section="/console/overview" script={script}>
      <Count id="summary" title="Suppressed addresses" counted={summary}>
        {(value) => <Figures summary={value} />}
      </Count>
      <Count id="changes" title="Added and removed in 30 days" counted={changes}>
        {(value) => <Changes days={daysOf(days, value)} />}
      </Count>
      <div class="columns">
        <section class="card">
          <h2>Top domains</h2>
          <Table
            caption="Domains with the most suppressed addresses"
            columns={['Domain', 'Addresses']}
            numbers={['Addresses']}
            rows={(summary?.value?.domains ?? []).map(({ key, count }) => ({
              key,
              cells: [
                <a key="domain" href={urlOf('/console/list', { domain: key })}>
                  {key}
                </a>,
                count.toLocaleString('en'),
              ],
            }))}
            empty={summary?.value ? 'The list is empty.' : summary ? NOT_AVAILABLE : 'Being counted.'}
          />
        </section>
        <section class="card">
          <h2>Needs attention</h2>
          <Table
            caption="Sources without events for a week"
            columns={['Silent source', 'Last event']}
            rows={silent.slice(0, MAX_ROWS).map(({ source, lastAt }) => ({
              key: source.id,
              cells: [
                <a key="source" href={`/console/sources/${source.id}`}>
                  {sourceName(source.name)}
                </a>,
                lastAt ? <Timestamp key="at" at={lastAt} /> : 'Never',
              ],
            }))}
            empty="No source is silent."
          />
          <Rest count={silent.length} path="/console/sources" label="All sources" />
          <Table
            caption="Webhooks that fail"
            columns={['Failing webhook', 'Status']}
            rows={failing.slice(0, MAX_ROWS).map((webhook) => ({
              key: webhook.id,
              cells: [
                <a key="endpoint" href={`/console/webhooks/${webhook.id}`}>
                  {webhook.endpoint}
                </a>,
                <WebhookStatus key="status" webhook={webhook} />,
              ],
            }))}
            empty="No webhook fails."
          />
          <Rest count={failing.length} path="/console/webhooks" label="All webhooks" />
        </section>
      </div>
    </ConsolePage>
  );
}

interface RestProps {
  count: number;
  path: string;
  label: string;
}

/** Says that a table has more rows than it shows. */
function Rest({ count, path, label }: RestProps): JSX.Element | null {
  return count > MAX_ROWS ? (
    <p>
      <span class="muted">
        The first {MAX_ROWS} of {count}.
      </span>{' '}
      <a href={path}>{label}</a>
    </p>
  ) : null;
}

interface CountProps<Result> {
  id: string;
  title: string;
  counted: Counted<Result> | null;
  children: (value: Result) => JSX.Element;
}

/** A card with a count and its time. The script shows a count that is under way once it is known. */
function Count<Result>({ id, title, counted, children }: CountProps<Result>): JSX.Element {
  if (!counted?.value) {
    return (
      <section class="card" id={id} data-running={counted ? undefined : ''}>
        <h2>{title}</h2>
        <p class="empty">{counted ? NOT_AVAILABLE : 'Being counted.'}</p>
      </section>
    );
  }
  return (
    <section class="card" id={id}>
      {children(counted.value)}
      <p class="muted">
        Counted <Timestamp at={counted.at} />.
      </p>
    </section>
  );
}
