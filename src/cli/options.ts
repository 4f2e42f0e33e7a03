import { Command, InvalidArgumentError, Option } from 'commander';

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_DURATION_MS = 100 * 365 * UNIT_MS.d!;

/** A command that tells of mistakes of usage in one line, and throws them. */
export function command(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .configureOutput({
      writeOut: (text) => console.log(text.trimEnd()),
      outputError: (text) =>
        console.error(`${text.trimEnd().replaceAll('\n', ' ')} (--help tells what it takes)`),
    })
    .exitOverride();
}

export const jsonOption = (): Option => new Option('--json', 'print JSON, for scripts');

/** Reads `90d`, `12h` or `30m`; returns milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,9})([mhd])$/.exec(text) ?? [];
  const duration = count && unit ? Number(count) * UNIT_MS[unit]! : NaN;
  if (!(duration <= MAX_DURATION_MS)) {
    throw new InvalidArgumentError(
      'It is a number of days, hours or minutes, and at most 100 years: 90d, 12h, 30m.',
    );
  }
  return duration;
}

/** Reads how long something lives, which is a while. */
export function parseLifetime(text: string): number {
  const duration = parseDuration(text);
  if (duration === 0) {
    throw new InvalidArgumentError('It is at least a minute: 1m.');
  }
  return duration;
}

/** Prints one JSON value, or rows as a table with a line of headings. */
export function printRows(rows: Record<string, unknown>[], json: boolean | undefined): void {
  if (json) {
    console.log(JSON.stringify(rows));
    return;
  }
  if (rows.length === 0) {
    console.log('There are none.');
    return;
  }
  const headings = Object.keys(rows[0]!);
  const lines = [headings, ...rows.map((row) => headings.map((heading) => cell(row[heading])))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  for (const line of lines) {
    console.log(
      line
        .map((text, column) => text.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    );
  }
}

function cell(value: unknown): string {
  return value === null ? '-' : Array.isArray(value) ? value.join(' ') : String(value);
}
