import { printable } from '../../process/printable.js';

function cut(value: string, width: number): string {
  return value.length <= width ? value : `${value.slice(0, width - 1)}…`;
}

/** `2026-01-15 09:30` in UTC. */
export function shortTime(timestamp: string): string {
  return timestamp.slice(0, 16).replace('T', ' ');
}

export function withCommas(count: number): string {
  return count.toLocaleString('en-US');
}

const REDRAW_MS = 100;
const MEGABYTE = 1_000_000;
const BAR_WIDTH = 16;

/** A progress line at a terminal; nothing elsewhere. */
export class Progress {
  private readonly since = performance.now();
  private drawnAt = -Infinity;

  constructor(
    private readonly title: string,
    private readonly unit: 'rows' | 'MB',
  ) {}

  /**
   * @param done - rows, or bytes if the unit is MB
   * @param total - null if it is not known
   */
  show(done: number, total: number | null): void {
    const now = performance.now();
    if (!process.stderr.isTTY || now - this.drawnAt < REDRAW_MS) {
      return;
    }
    this.drawnAt = now;
    const size = this.unit === 'MB' ? MEGABYTE : 1;
    const shown = { done: done / size, total: total && total / size, seconds: (now - this.since) / 1000 };
    const line = progressLine(this.title, this.unit, shown);
    process.stderr.write(`\r\u001b[K${cut(line, (process.stderr.columns || 80) - 1)}`);
  }

  end(): void {
    if (process.stderr.isTTY && this.drawnAt > 0) {
      process.stderr.write('\r\u001b[K');
    }
  }
}

export function progressLine(
  title: string,
  unit: string,
  { done, total, seconds }: { done: number; total: number | null; seconds: number },
): string {
  const rate = seconds > 0 ? done / seconds : 0;
  const parts = [
    cut(printable(title), 20),
    `${withCommas(Math.round(done))} ${unit}`,
    `${withCommas(Math.round(rate))}/s`,
  ];
  if (total) {
    const share = Math.min(1, done / total);
    const filled = Math.round(share * BAR_WIDTH);
    const bar = `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`;
    parts.splice(1, 0, `${bar} ${Math.floor(share * 100)} %`);
    parts.push(rate > 0 ? `${formatDuration(Math.max(0, total - done) / rate)} left` : '');
  }
  return parts.filter(Boolean).join('  ');
}

/** `45s`, `12m`, `3h`. */
export function formatDuration(seconds: number): string {
  const minutes = seconds / 60;
  if (minutes < 2) {
    return `${Math.ceil(seconds)}s`;
  }
  return minutes < 120 ? `${Math.ceil(minutes)}m` : `${Math.ceil(minutes / 60)}h`;
}
