import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger as PinoLogger } from 'pino';
import { toAppEnv } from './app-env.js';
import { readEnv, type Env } from './config/env.js';
import { openDatabase, type OpenDatabase } from './database/open-database.js';
import { closeConnections, drain } from './http/drain.js';
import { httpUrl, listeningAt } from './http/listening-at.js';
import { JsonLogger, createLogger } from './process/logger.js';
import { reportProblem } from './process/operator-error.js';
import { SCHEMA } from './schema.js';

/** SIGHUP is sent when the terminal is closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The service runs on when its output cannot be written. */
for (const output of [process.stdout, process.stderr]) {
  output.on('error', () => undefined);
}
const stopping = new AbortController();
const starting = start();
for (const signal of SIGNALS) {
  process.on(signal, () => stop(signal));
}
/** An error during a start that was told to stop is the result of stopping. */
await starting.catch((problem: unknown) =>
  process.exit(stopping.signal.aborted ? 0 : reportProblem(problem)),
);

async function start(): Promise<(signal: string) => Promise<void>> {
  const env = readEnv();
  const logger = createLogger(env.LOG_LEVEL);
  Logger.overrideLogger(new JsonLogger(logger));
  const endTraces = await startTraces(env);
  const database = await openDatabase(env, 'service', SCHEMA, stopping.signal);
  try {
    const app = await serve(env, database, logger);
    return async (signal) => {
      await leaveBalancers(app, signal === 'SIGTERM' ? env.SHUTDOWN_DELAY : 0);
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
  const { exportTraces } = await import('./tracing/export-traces.js');
  return exportTraces();
}

/** The service is imported here, so that a wrong setting is reported right away. */
async function serve(env: Env, database: OpenDatabase, logger: PinoLogger): Promise<NestExpressApplication> {
  const { createApp } = await import('./create-app.js');
  const app = await createApp(await toAppEnv(env, database), logger);
  await app.listen(env.PORT, env.HOST);
  const { host, port } = listeningAt(app.getHttpServer());
  new Logger('Main').log(`listening on ${httpUrl(host, port)}`);
  if (database.embedded) {
    const { describeDemo } = await import('./demo.js');
    console.log(await describeDemo(app, env));
  }
  return app;
}

/** An orchestrator sends SIGTERM while load balancers still send requests, and they learn from `/readyz` to stop. */
async function leaveBalancers(app: NestExpressApplication, seconds: number): Promise<void> {
  const { Readiness } = await import('./health/readiness.js');
  app.get(Readiness).stop();
  closeConnections(app.getHttpServer());
  await delay(seconds * 1_000);
}

/** A terminal and npm both pass on Ctrl-C, so a signal often arrives twice. */
function stop(signal: string): void {
  if (!stopping.signal.aborted) {
    stopping.abort();
    new Logger('Main').log(`${signal}: finishing the requests in flight`);
    starting
      .then((close) => close(signal))
      .then(
        () => process.exit(0),
        (problem: unknown) => process.exit(reportProblem(problem)),
      );
  }
}
