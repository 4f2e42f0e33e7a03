import { once } from 'node:events';
import { join } from 'node:path';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LoadedDatabase, ThrowAwayServer } from './database.js';
import type { Options } from './options.js';
import type { ReplicaTarget } from './load/job.js';
import type { Runner } from './parts.js';
import { startPeer, startService, stop, type Listener, type Settings } from './processes.js';

const STARTS = 3;
const TENFOLD = 10;
const ACCOUNTS = 20;

/** What a runner runs in (nothing of its own, when the load process does the work), and its database. */
export interface Station {
  listener?: Listener;
  database: LoadedDatabase;
  /** What the copy in the load process follows. */
  replica?: ReplicaTarget;
}

export type Stations = Partial<Record<Runner, Station>>;

export interface OpenStations {
  stations: Stations;
  service: Listener;
  /** How long each start of the service took. */
  readyMs: number[];
}

/** Starts the service and every peer that the parts ask for. */
export async function openStations(
  server: ThrowAwayServer,
  database: LoadedDatabase,
  { rows, parts, cpuProf }: Options,
): Promise<OpenStations> {
  const readyMs: number[] = [];
  for (let start = 1; start < STARTS; start++) {
    const trial = await startService(server.folder, database);
    readyMs.push(trial.readyMs);
    await stop(trial.process);
  }
  const service = await startService(server.folder, database, { cpuProf });
  readyMs.push(service.readyMs);
  const stations: Stations = { service: { listener: service, database }, pg: { database } };
  const serve = async (served: LoadedDatabase, settings?: Settings): Promise<Station> => ({
    listener: await startService(server.folder, served, { settings }),
    database: served,
  });
  const runners = new Set(parts.flatMap(({ contenders }) => contenders.map(({ runner }) => runner)));
  for (const name of ['express', 'bare-http'] as const) {
    if (runners.has(name)) {
      stations[name] = { listener: await startPeer(name, database), database };
    }
  }
  if (runners.has('service-10x')) {
    const tenfold = await server.load('bench_tenfold', rows * TENFOLD, { withLedger: false });
    stations['service-10x'] = await serve(tenfold);
  }
  if (runners.has('service-20-accounts')) {
    const shared = await server.load('bench_accounts', rows, { withLedger: false, accounts: ACCOUNTS });
    stations['service-20-accounts'] = await serve(shared);
  }
  if (runners.has('service-metrics')) {
    stations['service-metrics'] = await serve(database, { METRICS_PORT: '0' });
  }
  if (runners.has('service-traced')) {
    stations['service-traced'] = await serve(database, {
      OTEL_EXPORTER_OTLP_ENDPOINT: await startCollector(),
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.1',
    });
  }
  if (runners.has('service-2-workers')) {
    stations['service-2-workers'] = await serve(database, { WORKERS: '2' });
  }
  if (runners.has('replica')) {
    const url = `http://127.0.0.1:${service.port}`;
    const path = join(server.folder, 'replica');
    stations.replica = { database, replica: { url, apiKey: database.apiKey, path } };
  }
  return { stations, service, readyMs };
}

/** What takes traces and drops them. */
async function startCollector(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => response.end('{}'));
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
