import type { Interval } from '../../../incidents/incidents.repository.js';

const BUCKET_MS = 5 * 60_000;
const HEIGHT = 120;
const WIDTH = 720;
const ABOVE = 24;
const BELOW = 28;
const LEFT = 24;
const MINUTE = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });

/** A bar for each five minutes, up to the last one in which an address bounced. */
export function BouncesChart({ intervals }: { intervals: Interval[] }) {
  if (intervals.length === 0) {
    return null;
  }
  const first = intervals[0]!.at.getTime();
  const last = intervals.at(-1)!.at.getTime();
  const byStart = new Map(intervals.map(({ at, addresses }) => [at.getTime(), addresses]));
  const starts = Array.from(
    { length: (last - first) / BUCKET_MS + 1 },
    (_, index) => first + index * BUCKET_MS,
  );
  const highest = Math.max(...byStart.values());
  const step = (WIDTH - LEFT) / Math.max(starts.length, 12);
  return (
    <figure>
      <svg
        class="chart"
        viewBox={`0 ${-ABOVE} ${WIDTH} ${ABOVE + HEIGHT + BELOW}`}
        role="img"
        aria-labelledby="bounces"
      >
        <title id="bounces">Addresses that bounced in each five minutes, at most {highest}</title>
        <text y={-6}>{highest.toLocaleString('en')}</text>
        <line class="highest" x2={WIDTH} />
        {starts.map((start, index) => {
          const addresses = byStart.get(start) ?? 0;
          const height = (addresses / highest) * HEIGHT;
          return (
            <g key={start} transform={`translate(${LEFT + index * step + step * 0.1} 0)`}>
              <title>{`${MINUTE.format(start)} UTC: ${addresses.toLocaleString('en')}`}</title>
              <rect class="hover" width={step * 0.8} height={HEIGHT} />
              <rect class="bounce" y={HEIGHT - height} width={step * 0.8} height={height} />
            </g>
          );
        })}
        <line x1={LEFT} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        <text x={LEFT} y={HEIGHT + BELOW - 8}>
          {MINUTE.format(first)} UTC
        </text>
        {starts.length > 1 && (
          <text x={LEFT + starts.length * step} y={HEIGHT + BELOW - 8} text-anchor="end">
            {MINUTE.format(last + BUCKET_MS)}
          </text>
        )}
      </svg>
      <figcaption class="legend">Addresses that bounced in each five minutes</figcaption>
    </figure>
  );
}
