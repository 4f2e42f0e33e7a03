import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient } from '../api-client.js';
import { execute, type LoadedDatabase, type TemporaryServer } from '../database.js';
import type { Options } from '../options.js';
import { cpuSecondsOf, memoryOf, resetPeakMemory, startService, stop } from '../processes.js';
import { REST_MS } from '../rates.js';
import { createdMsOf } from '../records.js';
import { compareRounds, median, type Table } from '../report.js';
import { importFile, recipientFile } from './content.js';
import { PgPeer } from './peer.js';

export type FileTask = 'export' | 'scrub' | 'import';

const AT_LEAST = 0.8;
const MEBIBYTE = 1024 ** 2;
const MAX_MEMORY = 150 * MEBIBYTE;
const WARM_UP_SHARE = 5;

/** The file to upload, or the time before which exported records were created. Each file to import has new addresses. */
const INPUTS: Record<FileTask, (rows: number, listed: number) => string> = {
  export: (rows, listed) => new Date(createdMsOf(rows, listed)).toISOString(),
  scrub: recipientFile,
  import: importFile,
};

interface Round {
  rate: number;
  peerRate: number;
  cpuMicros: number;
  /** Bytes above rest, at most. */
  memory: number;
}

/** Runs a task once to warm up, and then in turns with `pg` alone. Both read the same rows; each import has new ones. */
export async function measureFile(
  task: FileTask,
  server: TemporaryServer,
  database: LoadedDatabase,
  { rounds, fileRows, cpuProf }: Options,
): Promise<Table> {
  const { process: child, port } = await startService(server.folder, database, { cpuProf });
  const api = new ApiClient(port, database.apiKey);
  const peer = await PgPeer.open(database);
  await delay(REST_MS);
  const atRest = await memoryOf(child);
  const measureRound = async (rows: number): Promise<Round> => {
    const input = INPUTS[task](rows, database.records.rows);
    await execute(database.url, 'CHECKPOINT');
    await resetPeakMemory(child);
    const before = await cpuSecondsOf(child);
    const [result, seconds] = await time(() => api[task](input));
    const cpuSeconds = (await cpuSecondsOf(child)) - before;
    const memory = (await memoryOf(child, 'peak')) - atRest;
    const peerInput = INPUTS[task](rows, database.records.rows);
    await execute(database.url, 'CHECKPOINT');
    const [expected, peerSeconds] = await time(() => peer[task](peerInput));
    if (result !== expected) {
      throw new Error(`${task}: ${result} rows by the service, ${expected} by pg alone`);
    }
    const cpuMicros = (cpuSeconds * 1e6) / rows;
    return { rate: rows / seconds, peerRate: rows / peerSeconds, cpuMicros, memory };
  };
  await measureRound(Math.floor(fileRows / WARM_UP_SHARE));
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    measured.push(await measureRound(fileRows));
  }
  await peer.close();
  await stop(child);
  return toTable(`${task}, ${fileRows.toLocaleString('en')} rows`, measured);
}

async function time(work: () => Promise<number>): Promise<[result: number, seconds: number]> {
  const startedMs = performance.now();
  const result = await work();
  return [result, (performance.now() - startedMs) / 1_000];
}

function toTable(file: string, rounds: Round[]): Table {
  const medianOf = (field: keyof Round) => median(rounds.map((round) => round[field]));
  const { ratio, spread } = compareRounds(
    rounds.map(({ rate }) => rate),
    rounds.map(({ peerRate }) => peerRate),
  );
  const memory = Math.max(...rounds.map((round) => round.memory));
  const holds = ratio >= AT_LEAST && !(memory > MAX_MEMORY);
  const row = {
    file,
    'ours, rows/s': Math.round(medianOf('rate')).toLocaleString('en'),
    'CPU, µs/row': medianOf('cpuMicros').toFixed(1),
    'pg alone, rows/s': Math.round(medianOf('peerRate')).toLocaleString('en'),
    ratio: ratio.toFixed(2),
    spread,
    wanted: AT_LEAST,
    [`MiB above rest (at most ${MAX_MEMORY / MEBIBYTE})`]: Math.round(memory / MEBIBYTE),
    result: holds ? 'ok' : 'MISSED',
  };
  return { rows: [row], holds };
}
