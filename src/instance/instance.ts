import { Session } from 'node:inspector/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger as PinoLogger } from 'pino';
import { toAppEnv } from '../app-env.js';
import type { Env } from '../config/env.js';
import { openDatabase, type OpenDatabase } from '../database/startup/open-database.js';
import { closeConnections, drain } from '../http/server/drain.js';
import { httpUrl, listenAddressOf } from '../http/server/listen-address.js';
import { SCHEMA } from '../schema.js';

/** Collecting garbage takes 0.1 seconds, in which requests wait. Most load balancers send none so early. */
const GARBAGE_DELAY_MS = 1_000;

/** Stops the instance. The signal decides how long load balancers get to notice. */
export type Close = (signal: string) => Promise<void>;

/** Starts one instance of the service in this process. */
export async function startInstance(env: Env, logger: PinoLogger, stopping: AbortSignal): Promise<Close> {
  const endTraces = await startTraces(env);
  const database = await openDatabase(env, 'service', SCHEMA, stopping);
  try {
    const app = await serve(env, database, logger);
    return async (signal) => {
      await leaveLoadBalancers(app, signal, env.SHUTDOWN_DELAY);
      await drain(app, env.SHUTDOWN_TIMEOUT);
      await database.close();
      await endTraces();
    };
  } catch (problem) {
    await database.close();
    throw problem;
  }
}

/** The OpenTelemetry SDK takes time and memory, so it is loaded only where it is used. */
async function startTraces({ OTEL_EXPORTER_OTLP_ENDPOINT }: Env): Promise<() => Promise<void>> {
  if (OTEL_EXPORTER_OTLP_ENDPOINT === undefined) {
    return async () => undefined;
  }
  const { exportTraces } = await import('../tracing/export-traces.js');
  return exportTraces();
}

/** The service is imported here, so that a wrong setting is reported right away. */
async function serve(env: Env, database: OpenDatabase, logger: PinoLogger): Promise<NestExpressApplication> {
  const { createApp } = await import('../create-app.js');
  const app = await createApp(await toAppEnv(env, database), logger);
  await app.listen(env.PORT, env.HOST);
  const { host, port } = listenAddressOf(app.getHttpServer());
  new Logger('Main').log(`listening on ${httpUrl(host, port)}`);
  setTimeout(() => void collectGarbage().catch(() => undefined), GARBAGE_DELAY_MS).unref();
  if (database.embedded) {
    const { describeDemo } = await import('./demo.js');
    console.log(await describeDemo(app, env));
  }
  return app;
}

/** The modules that were loaded leave 30 MiB of garbage, which V8 would keep until the instance is busy. */
async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}

/**
 * After SIGTERM, load balancers keep sending requests until `/readyz` tells them to stop. A worker that is being replaced
 * (SIGHUP) stays ready, since load balancers do not see single workers. Ctrl-C stops immediately.
 */
async function leaveLoadBalancers(
  app: NestExpressApplication,
  signal: string,
  seconds: number,
): Promise<void> {
  if (signal === 'SIGINT') {
    return;
  }
  if (signal === 'SIGTERM') {
    const { Readiness } = await import('../health/readiness.js');
    app.get(Readiness).stop();
  }
  closeConnections(app.getHttpServer());
  await delay(seconds * 1_000);
}
