import type { LoadedDatabase, ThrowAwayServer } from './database.js';
import type { Options } from './options.js';
import type { Runner } from './parts.js';
import { startPeer, startService, stop, type Listener } from './processes.js';

const STARTS = 3;
const TENFOLD = 10;

/** What a runner runs in (nothing of its own, when it is `pg` alone), and its database. */
export interface Station {
  listener?: Listener;
  database: LoadedDatabase;
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
  const service = await startService(server.folder, database, cpuProf);
  readyMs.push(service.readyMs);
  const stations: Stations = { service: { listener: service, database }, pg: { database } };
  const runners = new Set(parts.flatMap(({ contenders }) => contenders.map(({ runner }) => runner)));
  for (const name of ['express', 'bare-http'] as const) {
    if (runners.has(name)) {
      stations[name] = { listener: await startPeer(name, database), database };
    }
  }
  if (runners.has('service-10x')) {
    const tenfold = await server.load('bench_tenfold', rows * TENFOLD, { withLedger: false });
    stations['service-10x'] = { listener: await startService(server.folder, tenfold), database: tenfold };
  }
  return { stations, service, readyMs };
}
