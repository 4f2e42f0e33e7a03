import 'reflect-metadata';
import cluster from 'node:cluster';
import { setFlagsFromString } from 'node:v8';
import { Logger } from '@nestjs/common';
import type { Env } from './config/env.js';
import { readEnv } from './config/read-env.js';
import type { Close } from './instance/instance.js';
import { requireFreePort } from './process/free-port.js';
import { JsonLogger, createLogger } from './process/logger.js';
import { reportProblem } from './process/operator-error.js';
import { countWorkers, onStopMessage, startWorkers } from './instance/workers.js';

/** SIGHUP is sent when the terminal is closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

// Without the first flag, V8 learns that the objects of a batch live long, and allocates them in its old generation, where each
// keeps others alive: an import held 80 MiB more. Without the second flag, the old generation grows to four times its live
// objects: pages of the feed held 150 MiB more.
setFlagsFromString('--no-allocation-site-pretenuring');
setFlagsFromString('--heap-growing-percent=100');

/** The service keeps running if its output is closed. */
for (const output of [process.stdout, process.stderr]) {
  output.on('error', () => undefined);
}
const stopping = new AbortController();
const starting = start();
for (const signal of SIGNALS) {
  process.on(signal, () => receive(signal));
}
onStopMessage(stop);
/** If the service is stopped while starting, an error only results from that. */
await starting.catch((problem: unknown) =>
  process.exit(stopping.signal.aborted ? 0 : reportProblem(problem)),
);

async function start(): Promise<Close> {
  const env = readEnv();
  const logger = createLogger(env.LOG_LEVEL);
  Logger.overrideLogger(new JsonLogger(logger));
  await requireFreePorts(env);
  if (hasWorkers(env)) {
    return startWorkers(env, stopping.signal);
  }
  const { startInstance } = await import('./instance/instance.js');
  return startInstance(env, logger, stopping.signal);
}

/** Workers share the port that the primary process has checked. */
async function requireFreePorts({ HOST, PORT, METRICS_PORT }: Env): Promise<void> {
  if (cluster.isPrimary) {
    await requireFreePort(HOST, PORT, 'PORT');
    if (METRICS_PORT !== undefined) {
      await requireFreePort(HOST, METRICS_PORT, 'METRICS_PORT');
    }
  }
}

function hasWorkers(env: Env): boolean {
  return cluster.isPrimary && countWorkers(env) > 1;
}

/**
 * Workers ignore signals from a terminal, which signals all processes, because the primary process tells them what to do. In
 * the primary process, SIGHUP replaces the workers.
 */
function receive(signal: (typeof SIGNALS)[number]): void {
  const isForWorkers = cluster.isWorker && signal !== 'SIGTERM';
  const isReplacement = signal === 'SIGHUP' && process.listenerCount('SIGHUP') > 1;
  if (!isForWorkers && !isReplacement) {
    stop(signal);
  }
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
