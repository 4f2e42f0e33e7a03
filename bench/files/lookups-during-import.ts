import { ApiClient } from '../api-client.js';
import { execute, type LoadedDatabase, type TemporaryServer } from '../database.js';
import type { Job, Measurement } from '../load/job.js';
import type { Options } from '../options.js';
import { LoadProcess, startService, stop } from '../processes.js';
import { compareRounds, median, type Table } from '../report.js';
import { importFile } from './content.js';

const MAX_RATIO = 2;
/** More than the service imports during the measurement. */
const ROWS_PER_SECOND = 30_000;

/** Measures lookups while the service is idle, and while it imports a file, which is then cancelled. */
export async function measureLookupsDuringImport(
  server: TemporaryServer,
  database: LoadedDatabase,
  { rounds, seconds, warmUp }: Options,
): Promise<Table> {
  const { process: child, port } = await startService(server.folder, database);
  const { apiKey, records, sources, url } = database;
  const api = new ApiClient(port, apiKey);
  const load = new LoadProcess();
  const target = { port, apiKey };
  const job: Job = { workload: 'get-by-address', target, records, sources, connections: 1, seconds };
  await load.run({ ...job, seconds: warmUp });
  const idle: Measurement[] = [];
  const importing: Measurement[] = [];
  for (let round = 0; round < rounds; round++) {
    const file = importFile(ROWS_PER_SECOND * seconds);
    await execute(url, 'CHECKPOINT');
    idle.push(await load.run(job));
    const id = await api.startImport(file);
    await api.untilImport(id, ({ rows }) => rows > 0);
    importing.push(await load.run(job));
    await api.request(`/imports/${id}/cancel`, { method: 'POST' });
    await api.untilImport(id, ({ status }) => status === 'cancelled');
  }
  await stop(load.process);
  await stop(child);
  return toTable(idle, importing);
}

function toTable(idle: Measurement[], importing: Measurement[]): Table {
  const valuesOf = (measured: Measurement[], field: 'p50Ms' | 'p99Ms') => measured.map((one) => one[field]);
  const latency = (measured: Measurement[]) =>
    `${median(valuesOf(measured, 'p50Ms')).toFixed(2)} / ${median(valuesOf(measured, 'p99Ms')).toFixed(2)}`;
  const p50 = compareRounds(valuesOf(importing, 'p50Ms'), valuesOf(idle, 'p50Ms'));
  const p99 = compareRounds(valuesOf(importing, 'p99Ms'), valuesOf(idle, 'p99Ms'));
  const holds = p50.ratio <= MAX_RATIO;
  const row = {
    lookups: 'during an import, 1 connection',
    'idle, p50 / p99 ms': latency(idle),
    'importing, p50 / p99 ms': latency(importing),
    [`ratio of p50 (at most ${MAX_RATIO})`]: p50.ratio.toFixed(2),
    spread: p50.spread,
    'ratio of p99': p99.ratio.toFixed(2),
    result: holds ? 'ok' : 'MISSED',
  };
  return { rows: [row], holds };
}
