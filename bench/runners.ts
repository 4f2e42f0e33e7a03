import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { LoadedDatabase, TemporaryServer } from './database.js';
import type { ReplicaTarget } from './load/job.js';
import type { Options } from './options.js';
import { contendersOf, type RunnerName } from './parts.js';
import { startPeer, startService, stop, type Listener, type Settings } from './processes.js';

const STARTS = 3;
const TENFOLD = 10;

export interface Runner {
  /** Undefined if the load process does the work itself. */
  listener?: Listener;
  database: LoadedDatabase;
  replica?: ReplicaTarget;
}

export type Runners = Partial<Record<RunnerName, Runner>>;

export async function startRunners(
  server: TemporaryServer,
  database: LoadedDatabase,
  { rows, parts, cpuProf }: Options,
): Promise<{ runners: Runners; service: Listener; readyMs: number[] }> {
  const readyMs: number[] = [];
  for (let start = 1; start < STARTS; start++) {
    const trial = await startService(server.folder, database);
    readyMs.push(trial.readyMs);
    await stop(trial.process);
  }
  const service = await startService(server.folder, database, { cpuProf });
  readyMs.push(service.readyMs);
  const serve = async (served: LoadedDatabase, settings?: Settings): Promise<Runner> => ({
    listener: await startService(server.folder, served, { settings }),
    database: served,
  });
  const others: Partial<Record<RunnerName, () => Promise<Runner>>> = {
    express: async () => ({ listener: await startPeer('express', database), database }),
    'bare-http': async () => ({ listener: await startPeer('bare-http', database), database }),
    'service-10x': async () => serve(await server.load('tenfold', rows * TENFOLD, { withLedger: false })),
    'service-metrics': () => serve(database, { METRICS_PORT: '0' }),
    'service-traced': async () =>
      serve(database, {
        OTEL_EXPORTER_OTLP_ENDPOINT: await startCollector(),
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.1',
      }),
    'service-2-workers': () => serve(database, { WORKERS: '2' }),
    replica: async () => {
      const url = `http://127.0.0.1:${service.port}`;
      return { database, replica: { url, apiKey: database.apiKey, path: join(server.folder, 'replica') } };
    },
  };
  const runners: Runners = { service: { listener: service, database }, pg: { database } };
  for (const { runner } of parts.flatMap(contendersOf)) {
    runners[runner] ??= await others[runner]!();
  }
  return { runners, service, readyMs };
}

/** A collector that discards the traces. */
async function startCollector(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => response.end('{}'));
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
