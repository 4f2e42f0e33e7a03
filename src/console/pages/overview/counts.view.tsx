import type { Summary } from '../../../counts/counts.service.js';
import { CAUSES } from '../../../ledger/cause.js';
import { Table } from '../../components/table.js';
import { CAUSE_NAMES } from '../../components/words.js';
import { Chart, totalOf, type Day } from './chart.view.js';

export function Figures({ summary }: { summary: Summary }) {
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

export function Changes({ days }: { days: Day[] }) {
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

function DaysTable({ days }: { days: Day[] }) {
  const columns = (['added', 'removed'] as const).flatMap((what) =>
    CAUSES.map((cause) => [
      `${CAUSE_NAMES[cause]}: ${what}`,
      (day: Day) => day[what][cause].toLocaleString('en'),
    ]),
  );
  return (
    <Table
      isWide
      caption="Added and removed in 30 days"
      rows={days.filter(({ added, removed }) => totalOf(added) + totalOf(removed) > 0).toReversed()}
      columns={{ Day: ({ day }) => day, ...Object.fromEntries(columns) }}
      numbers={columns.map(([name]) => String(name))}
      empty="Nothing changed."
    />
  );
}
