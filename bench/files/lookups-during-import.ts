import type { LoadedDatabase, ThrowAwayServer } from '../database.js';
import type { Job, Measurement } from '../load/job.js';
import type { Options } from '../options.js';
import { checkpoint } from '../database.js';
import { LoadProcess, startService, stop } from '../processes.js';
import { median } from '../statistics.js';
import { importFile } from './content.js';
import { FileClient } from './service.js';

export const LOOKUPS_DURING_IMPORT = 'lookups-during-import';

const CONNECTIONS = 1;
const MAX_RATIO = 2;
/** More than the service imports while it is measured. */
const ROWS_PER_SECOND = 30_000;

interface Latency {
  p50Ms: number;
  p99Ms: number;
}

/** How long lookups take while the service imports a file, compared with the same service when it is idle. */
export interface LookupsDuringImport {
  idle: Latency;
  importing: Latency;
  /** Of p50. */
  ratio: number;
  lowest: number;
  highest: number;
  p99Ratio: number;
  holds: boolean;
}

/** Measures the idle service and the importing one in turns. An import is cancelled at the end of its measurement. */
export async function measureLookupsDuringImport(
  server: ThrowAwayServer,
  database: LoadedDatabase,
  { rounds, seconds, warmUp }: Options,
): Promise<LookupsDuringImport> {
  const service = await startService(server.folder, database);
  const client = new FileClient(service.port, database.apiKey);
  const load = new LoadProcess();
  const { apiKey, records, sources, url } = database;
  const job: Job = {
    workload: 'get-by-address',
    target: { port: service.port, apiKey },
    records,
    sources,
    connections: CONNECTIONS,
    seconds,
  };
  await load.run({ ...job, seconds: warmUp });
  const idle: Measurement[] = [];
  const importing: Measurement[] = [];
  for (let round = 0; round < rounds; round++) {
    const file = importFile(ROWS_PER_SECOND * seconds);
    await checkpoint(url);
    idle.push(await load.run(job));
    const id = await client.startImport(file);
    importing.push(await load.run(job));
    await client.cancelImport(id);
  }
  await stop(load.process);
  await stop(service.process);
  return summarize(idle, importing);
}

function summarize(idle: Measurement[], importing: Measurement[]): LookupsDuringImport {
  const ratiosOf = (percentile: keyof Latency) =>
    importing.map((measurement, round) => measurement[percentile] / idle[round]![percentile]);
  const ratios = ratiosOf('p50Ms');
  const ratio = median(ratios);
  return {
    idle: latencyOf(idle),
    importing: latencyOf(importing),
    ratio,
    lowest: Math.min(...ratios),
    highest: Math.max(...ratios),
    p99Ratio: median(ratiosOf('p99Ms')),
    holds: ratio <= MAX_RATIO,
  };
}

function latencyOf(measurements: Measurement[]): Latency {
  return {
    p50Ms: median(measurements.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(measurements.map(({ p99Ms }) => p99Ms)),
  };
}

export function formatLookupsDuringImport(result: LookupsDuringImport): string {
  const { idle, importing, ratio, lowest, highest, p99Ratio, holds } = result;
  const format = ({ p50Ms, p99Ms }: Latency) => `${p50Ms.toFixed(2)} / ${p99Ms.toFixed(2)}`;
  return [
    `| lookups, ${CONNECTIONS} connection | idle, p50 / p99 ms | importing, p50 / p99 ms | ratio of p50 (at most ${MAX_RATIO}) | spread | ratio of p99 | |`,
    '| --- | --- | --- | --- | --- | --- | --- |',
    `| during an import | ${format(idle)} | ${format(importing)} | ${ratio.toFixed(2)} | ${lowest.toFixed(2)} to ${highest.toFixed(2)} ` +
      `| ${p99Ratio.toFixed(2)} | ${holds ? 'ok' : 'MISSED'} |`,
  ].join('\n');
}
