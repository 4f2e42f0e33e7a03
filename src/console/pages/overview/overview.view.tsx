import type { JSX } from 'preact';
import { CAUSES, type Cause } from '../../../ledger/cause.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { urlOf } from '../../components/pager.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { CAUSE_NAMES, sourceName } from '../../components/words.js';
import { WebhookStatus } from '../webhooks/webhooks.view.js';
import { Chart, daysOf, totalOf, type Day } from './chart.view.js';
import type { Overview } from './overviews.js';

export function OverviewPage({ overview, ...props }: PageProps & { overview: Overview }): JSX.Element {
  const { summary, changes, silent, failing } = overview;
  const days = daysOf(
    summary.days.map(({ day }) => day),
    changes,
  );
  return (
    <ConsolePage {...props} title="Overview" section="/console/overview">
      <section class="card">
        <h2>{summary.total.toLocaleString('en')} suppressed addresses</h2>
        <dl class="figures">
          {CAUSES.toReversed().map((cause) => (
            <div key={cause}>
              <dt>{CAUSE_NAMES[cause]}</dt>
              <dd class="number">{summary.causes[cause].toLocaleString('en')}</dd>
            </div>
          ))}
        </dl>
        <p class="muted">
          An address with several causes is counted under each. The counts are up to a minute old.
        </p>
      </section>
      <section class="card">
        <h2>Added and removed in 30 days</h2>
        <Chart days={days} />
        <details>
          <summary>The same as a table</summary>
          <DaysTable days={days} />
        </details>
      </section>
      <div class="columns">
        <section class="card">
          <h2>Top domains</h2>
          <Table
            caption="Domains with the most suppressed addresses"
            columns={['Domain', 'Addresses']}
            rows={summary.domains.map(({ key, count }) => ({
              key,
              cells: [
                <a key="domain" href={urlOf('/console/list', { domain: key })}>
                  {key}
                </a>,
                <span key="count" class="number">
                  {count.toLocaleString('en')}
                </span>,
              ],
            }))}
            empty="The list is empty."
          />
        </section>
        <section class="card">
          <h2>Needs attention</h2>
          <Table
            caption="Sources from which nothing came for a week"
            columns={['Silent source', 'Last event']}
            rows={silent.map(({ source, lastAt }) => ({
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
          <Table
            caption="Webhooks that fail"
            columns={['Failing webhook', 'Status']}
            rows={failing.map((webhook) => ({
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
        </section>
      </div>
    </ConsolePage>
  );
}

function DaysTable({ days }: { days: Day[] }): JSX.Element {
  const cells = (counts: Record<Cause, number>) => CAUSES.map((cause) => counts[cause].toLocaleString('en'));
  const busy = days.filter(({ added, removed }) => totalOf(added) + totalOf(removed) > 0);
  return (
    <Table
      caption="Added and removed in 30 days"
      columns={[
        'Day',
        ...CAUSES.map((cause) => `${CAUSE_NAMES[cause]}: added`),
        ...CAUSES.map((cause) => `${CAUSE_NAMES[cause]}: removed`),
      ]}
      rows={busy.toReversed().map(({ day, added, removed }) => ({
        key: day,
        cells: [day, ...cells(added), ...cells(removed)],
      }))}
      empty="Nothing changed."
    />
  );
}
