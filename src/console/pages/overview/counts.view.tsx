import type { JSX } from 'preact';
import type { Summary } from '../../../counts/counts.service.js';
import { CAUSES, type Cause } from '../../../ledger/cause.js';
import { Table } from '../../components/table.js';
import { CAUSE_NAMES } from '../../components/words.js';
import { Chart, totalOf, type Day } from './chart.view.js';

export function Figures({ summary }: { summary: Summary }): JSX.Element {
  return (
    <>
      <h2>{summary.total.toLocaleString('en')} suppressed addresses</h2>
      <dl class="figures">
        {CAUSES.toReversed().map((cause) => (
          <div key={cause}>
            <dt>{CAUSE_NAMES[cause]}</dt>
            <dd class="number">{summary.causes[cause].toLocaleString('en')}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">An address with several causes is counted under each.</p>
    </>
  );
}

export function Changes({ days }: { days: Day[] }): JSX.Element {
  return (
    <>
      <h2>Added and removed in 30 days</h2>
      <p class="muted">
        By the day of the change. An import counts on the day it ran, whatever the dates in its file.
      </p>
      <Chart days={days} />
      <details>
        <summary>The same as a table</summary>
        <DaysTable days={days} />
      </details>
    </>
  );
}

function DaysTable({ days }: { days: Day[] }): JSX.Element {
  const numbers = ['added', 'removed'].flatMap((what) =>
    CAUSES.map((cause) => `${CAUSE_NAMES[cause]}: ${what}`),
  );
  const cells = (counts: Record<Cause, number>) => CAUSES.map((cause) => counts[cause].toLocaleString('en'));
  const busy = days.filter(({ added, removed }) => totalOf(added) + totalOf(removed) > 0);
  return (
    <Table
      isWide
      caption="Added and removed in 30 days"
      columns={['Day', ...numbers]}
      numbers={numbers}
      rows={busy.toReversed().map(({ day, added, removed }) => ({
        key: day,
        cells: [day, ...cells(added), ...cells(removed)],
      }))}
      empty="Nothing changed."
    />
  );
}
