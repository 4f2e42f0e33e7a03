import { writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import type { DatabaseSize } from './database.js';
import type { Options } from './options.js';
import type { Rates } from './rates.js';

const MAX_RECORD_BYTES = 220;
const MEBIBYTE = 1024 * 1024;

/** The result of a part: rows with the same columns, and whether all limits hold. */
export interface Table {
  rows: Record<string, string | number>[];
  holds: boolean;
}

/** The facts that are reported below the tables. */
export interface Side extends Omit<Rates, 'tables'> {
  size: DatabaseSize;
  seconds: number;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.floor(sorted.length / 2)]!) / 2;
}

/** The median of the ratios of the rounds, so that a slow minute of the machine affects both contenders, and their spread. */
export function compareRounds(ours: number[], theirs: number[]): { ratio: number; spread: string } {
  const ratios = ours.map((value, round) => value / theirs[round]!);
  const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  return { ratio: median(ratios), spread };
}

export function formatTable({ rows }: Table): string {
  const headings = Object.keys(rows[0]!);
  const cells = [headings, ...rows.map((row) => Object.values(row).map(String))];
  const widths = headings.map((_, column) => Math.max(...cells.map((line) => line[column]!.length)));
  const lines = cells.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`,
  );
  lines.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  return lines.join('\n');
}

export function formatSide(side: Side, { rows }: Options): string {
  const { size, readyMs, memory, seconds } = side;
  const perRow = (bytes: number) => Math.round(bytes / rows);
  const memories = Object.entries(memory).map(
    ([when, bytes]) => `${Math.round(bytes / MEBIBYTE)} MiB ${when}`,
  );
  return [
    `On disk, bytes with indexes: ${perRow(size.records)} per record (wanted: ${MAX_RECORD_BYTES}), ` +
      `of which ${perRow(size.recordIndexes)} are indexes; ${perRow(size.ledger)} per line of the ledger`,
    `Memory of the service: ${memories.join(', ')}`,
    `From start to ready: ${readyMs.map(Math.round).join(', ')} ms`,
    `${rows.toLocaleString('en')} records, PostgreSQL ${size.version}, Node.js ${process.version}, ${describeMachine()}, ` +
      `${Math.round(seconds)} seconds in all`,
  ].join('\n');
}

export async function writeJson(file: string, tables: Table[], side: Side, options: Options): Promise<void> {
  const figures = {
    date: new Date().toISOString(),
    machine: { description: describeMachine(), memory: totalmem(), node: process.version },
    options,
    tables: tables.map(({ rows }) => rows),
    side,
  };
  await writeFile(file, `${JSON.stringify(figures, null, 2)}\n`);
}

function describeMachine(): string {
  const cores = cpus();
  return `${cores.length} cores (${cores[0]?.model.trim() ?? 'unknown'})`;
}
