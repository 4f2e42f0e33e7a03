import { writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import type { DiskUse } from './database.js';
import type { Block } from './event-loop/measure.js';
import type { Options } from './options.js';
import type { LookupsDuringImport } from './files/lookups-during-import.js';
import type { FileResult } from './files/measure.js';
import type { ContenderResult, PartResult } from './statistics.js';
import type { Arrival } from './webhooks/measure.js';

const DISK_AIM = 220;
const MEBI = 1024 * 1024;

const UNITS = { requests: 'req', addresses: 'addr', events: 'events' };

/** What is printed beside the table. */
export interface Side {
  disk: DiskUse;
  /** With twenty accounts. */
  diskOfMany?: DiskUse | undefined;
  readyMs: number[];
  /** The service's memory in octets, by the moment it was taken. */
  memory: Record<string, number | undefined>;
  postgres: string;
  seconds: number;
}

const HEADINGS = [
  'part',
  'ours',
  'p50 / p99 ms',
  'peer',
  'its rate',
  'p50 / p99 ms',
  'ratio',
  'spread',
  'wanted',
  '',
];

/** The table, in Markdown: a row for each comparison. */
export function formatTable(results: PartResult[]): string {
  const rows = results.flatMap(({ part, contenders, comparisons }) =>
    comparisons.map(({ title, of, to, ratio, lowest, highest, atLeast, atMost, holds }) => {
      const ours = contenders.find(({ name }) => name === of)!;
      const peer = contenders.find(({ name }) => name === to)!;
      return [
        title,
        `${formatRate(ours)} ${UNITS[part.unit]}/s`,
        formatLatency(ours),
        to,
        formatRate(peer),
        formatLatency(peer),
        ratio.toFixed(2),
        `${lowest.toFixed(2)} to ${highest.toFixed(2)}`,
        atMost ? `${atLeast} to ${atMost}` : (atLeast?.toFixed(1) ?? ''),
        atLeast === undefined ? '' : holds ? 'ok' : 'MISSED',
      ];
    }),
  );
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]!.length)),
  );
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  return [line(HEADINGS), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** What stands below the table. */
export function formatSide(
  results: PartResult[],
  { disk, diskOfMany, readyMs, memory, postgres, seconds }: Side,
  { rows }: Options,
): string {
  const perRecord = (octets: number) => Math.round(octets / rows);
  const record = perRecord(disk.recordTable + disk.recordIndexes);
  const ledger = perRecord(disk.ledgerTable + disk.ledgerIndexes);
  const memories = Object.entries(memory).map(
    ([when, octets]) => `${octets === undefined ? '?' : Math.round(octets / MEBI)} MiB ${when}`,
  );
  return [
    formatCpu(results),
    `On disk, bytes per record: ${record} (table ${perRecord(disk.recordTable)}, indexes ` +
      `${perRecord(disk.recordIndexes)}; aim: ${DISK_AIM} at most${record > DISK_AIM ? ', MISSED' : ''}); ` +
      `its line of the ledger: ${ledger} (table ${perRecord(disk.ledgerTable)}, indexes ${perRecord(disk.ledgerIndexes)})`,
    ...(diskOfMany
      ? [
          `With 20 accounts, bytes per record: ${perRecord(diskOfMany.recordTable + diskOfMany.recordIndexes)}`,
        ]
      : []),
    `Memory of the service: ${memories.join(', ')}`,
    `From start to ready: ${readyMs.map((ms) => Math.round(ms)).join(', ')} ms`,
    `${rows.toLocaleString('en')} records, PostgreSQL ${postgres}, Node ${process.version}, ${describeMachine()}, ` +
      `${Math.round(seconds)} seconds in all`,
  ].join('\n');
}

export async function writeJson(
  file: string,
  results: PartResult[],
  blocks: Block[],
  arrivals: Arrival[],
  files: FileResult[],
  lookupsDuringImport: LookupsDuringImport[],
  side: Side,
  { rows, fileRows, rounds, seconds, warmUp }: Options,
): Promise<void> {
  const parts = results.map(({ part, contenders, comparisons }) => ({
    name: part.name,
    connections: part.connections,
    unit: part.unit,
    contenders,
    comparisons,
  }));
  const figures = {
    date: new Date().toISOString(),
    machine: { description: describeMachine(), memory: totalmem(), node: process.version },
    options: { rows, fileRows, rounds, seconds, warmUp },
    parts,
    blocks,
    arrivals,
    files,
    lookupsDuringImport,
    side,
  };
  await writeFile(file, `${JSON.stringify(figures, null, 2)}\n`);
}

function describeMachine(): string {
  const cores = cpus();
  return `${cores.length} cores (${cores[0]?.model.trim() ?? 'unknown'})`;
}

function formatRate({ rate }: ContenderResult): string {
  return Math.round(rate).toLocaleString('en');
}

function formatLatency({ p50Ms, p99Ms }: ContenderResult): string {
  return `${p50Ms.toFixed(1)} / ${p99Ms.toFixed(1)}`;
}

/** What a request costs the process that answers it: little changed by other work on the machine. */
function formatCpu(results: PartResult[]): string {
  const parts = results.map(({ part, contenders }) => {
    const measured = contenders.filter(({ cpuMicrosPerRequest }) => cpuMicrosPerRequest !== undefined);
    return `${part.name} ${measured.map((one) => `${Math.round(one.cpuMicrosPerRequest!)} (${one.name})`).join(', ')}`;
  });
  return `Processor time of a request in the process that answers, µs: ${parts.join('; ')}`;
}
