import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { checkpoint, type LoadedDatabase, type ThrowAwayServer } from '../database.js';
import { cpuSecondsOf, memoryOf, startService, stop, type Listener } from '../processes.js';
import type { Options } from '../options.js';
import { createdMsOf } from '../records.js';
import { median } from '../statistics.js';
import { importFile, recipientFile } from './content.js';
import { PgPeer } from './peer.js';
import { FileClient } from './service.js';

/** The tasks, in the order in which they are measured: an import makes the list longer. */
export const FILE_TASKS = ['export', 'scrub', 'import'] as const;

export type FileTask = (typeof FILE_TASKS)[number];

const AT_LEAST = 0.8;
const MAX_MEMORY = 150 * 1024 * 1024;
/** Until a process that was just started holds the memory that it goes on with. */
const REST_MS = 3_000;
const MEMORY_POLL_MS = 20;

/** A task with a file of many rows, by the service and by `pg` alone. */
export interface FileResult {
  task: FileTask;
  rows: number;
  /** Rows a second. */
  rate: number;
  peerRate: number;
  ratio: number;
  lowest: number;
  highest: number;
  /** Of the service, so without PostgreSQL. */
  cpuMicrosPerRow: number | undefined;
  /** The most bytes that the service held, above those at rest. */
  memory: number | undefined;
  holds: boolean;
}

interface Round {
  rate: number;
  peerRate: number;
  cpuSeconds: number | undefined;
  peakMemory: number | undefined;
}

/** Runs each task once to warm up, and then in turns with the peer. Both have the same rows, except that each import has new ones. */
export async function measureFiles(
  server: ThrowAwayServer,
  database: LoadedDatabase,
  { files: tasks, rounds, fileRows, cpuProf }: Options,
): Promise<FileResult[]> {
  const service = await startService(server.folder, database, { cpuProf });
  const client = new FileClient(service.port, database.apiKey);
  const peer = await PgPeer.open(database);
  await delay(REST_MS);
  const atRest = await memoryOf(service.process);
  const results: FileResult[] = [];
  for (const task of tasks) {
    const measured: Round[] = [];
    for (let round = 0; round <= rounds; round++) {
      const rows = round === 0 ? Math.floor(fileRows / WARM_UP_SHARE) : fileRows;
      measured.push(await measureRound(task, rows, database, service, client, peer));
    }
    results.push(summarize(task, fileRows, measured.slice(1), atRest));
  }
  await peer.close();
  await stop(service.process);
  return results;
}

const WARM_UP_SHARE = 5;

async function measureRound(
  task: FileTask,
  rows: number,
  database: LoadedDatabase,
  { process: child }: Listener,
  client: FileClient,
  peer: PgPeer,
): Promise<Round> {
  const run = (contender: FileClient | PgPeer): (() => Promise<number>) => {
    switch (task) {
      case 'import': {
        const file = importFile(rows);
        return () => contender.import(file);
      }
      case 'scrub': {
        const file = recipientFile(rows, database.records.rows);
        return () => contender.scrub(file);
      }
      case 'export': {
        const before = new Date(createdMsOf(rows, database.records.rows)).toISOString();
        return () => contender.export(before);
      }
    }
  };
  await checkpoint(database.url);
  const memory = new MemoryWatch(child);
  const before = await cpuSecondsOf(child);
  const ours = await time(run(client));
  const after = await cpuSecondsOf(child);
  const peakMemory = await memory.end();
  await checkpoint(database.url);
  const theirs = await time(run(peer));
  if (ours.result !== theirs.result) {
    throw new Error(`${task}: ${ours.result} rows by the service, ${theirs.result} by pg alone`);
  }
  return {
    rate: rows / ours.seconds,
    peerRate: rows / theirs.seconds,
    cpuSeconds: before !== undefined && after !== undefined ? after - before : undefined,
    peakMemory,
  };
}

async function time(work: () => Promise<number>): Promise<{ result: number; seconds: number }> {
  const startedMs = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - startedMs) / 1_000 };
}

/** Notes the most memory that a process holds. */
class MemoryWatch {
  private peak: number | undefined;
  private isOver = false;
  private readonly watching: Promise<void>;

  constructor(private readonly child: ChildProcess) {
    this.watching = this.watch();
  }

  async end(): Promise<number | undefined> {
    this.isOver = true;
    await this.watching;
    return this.peak;
  }

  private async watch(): Promise<void> {
    while (!this.isOver) {
      const bytes = await memoryOf(this.child);
      this.peak = bytes && Math.max(this.peak ?? 0, bytes);
      await delay(MEMORY_POLL_MS);
    }
  }
}

function summarize(task: FileTask, rows: number, rounds: Round[], atRest: number | undefined): FileResult {
  const ratios = rounds.map(({ rate, peerRate }) => rate / peerRate);
  const ratio = median(ratios);
  const cpuSeconds = rounds.flatMap((round) => round.cpuSeconds ?? []);
  const peaks = rounds.flatMap(({ peakMemory }) => peakMemory ?? []);
  const memory = atRest === undefined ? undefined : Math.max(...peaks) - atRest;
  return {
    task,
    rows,
    rate: median(rounds.map(({ rate }) => rate)),
    peerRate: median(rounds.map(({ peerRate }) => peerRate)),
    ratio,
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
    cpuMicrosPerRow: cpuSeconds.length > 0 ? (median(cpuSeconds) * 1e6) / rows : undefined,
    memory,
    holds: ratio >= AT_LEAST && (memory ?? 0) <= MAX_MEMORY,
  };
}

export function formatFiles(results: FileResult[]): string {
  const mebibytes = (bytes: number | undefined) =>
    bytes === undefined ? '?' : Math.round(bytes / 1024 ** 2);
  const whole = (value: number | undefined) =>
    value === undefined ? '?' : Math.round(value).toLocaleString('en');
  return [
    `| file | ours, rows/s | CPU, µs/row | pg alone, rows/s | ratio | spread | wanted | memory above rest, MiB (at most ${mebibytes(MAX_MEMORY)}) | |`,
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...results.map(
      ({ task, rows, rate, peerRate, ratio, lowest, highest, cpuMicrosPerRow, memory, holds }) =>
        `| ${task}, ${rows.toLocaleString('en')} rows | ${whole(rate)} | ${cpuMicrosPerRow?.toFixed(1) ?? '?'} | ${whole(peerRate)} ` +
        `| ${ratio.toFixed(2)} | ${lowest.toFixed(2)} to ${highest.toFixed(2)} | ${AT_LEAST} | ${mebibytes(memory)} | ${holds ? 'ok' : 'MISSED'} |`,
    ),
  ].join('\n');
}
