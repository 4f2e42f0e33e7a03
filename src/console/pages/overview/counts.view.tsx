import type { DailyChanges } from '../../../counts/changes-by-day.js';
import type { Summary } from '../../../counts/counts.service.js';
import { CAUSES, type Cause } from '../../../ledger/cause.js';
import { Table } from '../../components/list.js';
import { CAUSE_NAMES, countOf } from '../../components/words.js';

export function Figures({ summary }: { summary: Summary }) {
  return (
    <>
      <h2>{countOf(summary.total, 'suppressed address', 'suppressed addresses')}</h2>
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
        Grouped by the day of the change. An import counts on the day it ran, whatever the dates in its file.
      </p>
      <Chart days={days} />
      <details>
        <summary>Show as a table</summary>
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

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

const WIDTH = 720;
const HEIGHT = 200;
/** Where the bars begin, after the zero. The highest number has the space above them, however long it is. */
const LEFT = 24;
const ABOVE = 32;
const BELOW = 32;

/** A day with its counts by cause. */
interface Day {
  day: string;
  added: Record<Cause, number>;
  removed: Record<Cause, number>;
}

export function daysOf(days: string[], changes: DailyChanges[]): Day[] {
  const countsOf = (day: string, isRemoval: boolean) =>
    Object.fromEntries(
      CAUSES.map((cause) => [
        cause,
        changes
          .filter((change) => change.day === day && change.cause === cause && change.isRemoval === isRemoval)
          .reduce((sum, { count }) => sum + count, 0),
      ]),
    ) as Record<Cause, number>;
  return days.map((day) => ({ day, added: countsOf(day, false), removed: countsOf(day, true) }));
}

/** For each day, a bar upward for additions and a bar downward for removals, stacked by cause. */
function Chart({ days }: { days: Day[] }) {
  const highest = Math.max(1, ...days.map(({ added }) => totalOf(added)));
  const lowest = Math.max(0, ...days.map(({ removed }) => totalOf(removed)));
  const scale = HEIGHT / (highest + lowest);
  const zero = highest * scale;
  const step = (WIDTH - LEFT) / days.length;
  return (
    <figure>
      <svg
        class="chart"
        viewBox={`0 ${-ABOVE} ${WIDTH} ${ABOVE + HEIGHT + BELOW}`}
        role="img"
        aria-labelledby="chart-title"
      >
        <title id="chart-title">
          Added and removed on each of the last 30 days, by cause. The table contains the numbers.
        </title>
        <text y={-6}>{highest.toLocaleString('en')}</text>
        <line class="highest" x2={WIDTH} />
        <text y={zero} dominant-baseline="middle">
          0
        </text>
        {days.map(({ day, added, removed }, index) => (
          <g key={day} transform={`translate(${LEFT + index * step + step * 0.15} 0)`}>
            <title>{`${shortDay(day)}: ${totalOf(added).toLocaleString('en')} added, ${totalOf(removed).toLocaleString('en')} removed`}</title>
            <rect class="hover" width={step * 0.7} height={HEIGHT} />
            {stack(added).map(({ cause, from, count }) => (
              <rect
                key={cause}
                class={cause}
                y={zero - (from + count) * scale}
                width={step * 0.7}
                height={count * scale}
              />
            ))}
            {stack(removed).map(({ cause, from, count }) => (
              <rect
                key={cause}
                class={`${cause} removed`}
                y={zero + from * scale}
                width={step * 0.7}
                height={count * scale}
              />
            ))}
          </g>
        ))}
        <line x1={LEFT} x2={WIDTH} y1={zero} y2={zero} />
        <text x={LEFT} y={HEIGHT + BELOW - 6}>
          {shortDay(days[0]!.day)}
        </text>
        <text x={WIDTH} y={HEIGHT + BELOW - 6} text-anchor="end">
          {shortDay(days.at(-1)!.day)}
        </text>
      </svg>
      <figcaption class="legend">
        {CAUSES.map((cause) => (
          <span key={cause}>
            <svg class="chart key" viewBox="0 0 10 10" aria-hidden="true">
              <rect class={cause} width="10" height="10" />
            </svg>{' '}
            {CAUSE_NAMES[cause]}
          </span>
        ))}
        <span class="muted">Below the line: removed</span>
      </figcaption>
    </figure>
  );
}

/** `15 Jan` */
function shortDay(day: string): string {
  return DAY.format(new Date(day));
}

function stack(counts: Record<Cause, number>): { cause: Cause; from: number; count: number }[] {
  let from = 0;
  return CAUSES.filter((cause) => counts[cause] > 0).map((cause) => {
    const count = counts[cause];
    from += count;
    return { cause, from: from - count, count };
  });
}

function totalOf(counts: Record<Cause, number>): number {
  return CAUSES.reduce((sum, cause) => sum + counts[cause], 0);
}
