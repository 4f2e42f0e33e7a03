import cluster, { Worker } from 'node:cluster';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { toAppEnv } from '../app-env.js';
import type { Env } from '../config/env.js';
import { openDatabase } from '../database/startup/open-database.js';
import { MetricsOfWorkers } from '../metrics/metrics-of-workers.js';
import { serveMetricsOfWorkers } from '../metrics/metrics-server.js';
import { OperatorError } from '../process/operator-error.js';
import { SCHEMA } from '../schema.js';
import type { Close } from './instance.js';

/** The pause between attempts to start a worker, for example while the database is unavailable. */
const RETRY_MS = 1_000;

/** A worker exited before it served, and has printed the reason. */
class WorkerFailedError extends OperatorError {
  constructor(override readonly exitCode: number) {
    super('A worker could not start.');
  }
}

class Workers {
  private readonly logger = new Logger('Workers');
  private readonly serving = new Set<Worker>();
  /** The exits of workers that were told to stop. */
  private readonly ending = new Set<Promise<unknown>>();
  private isStopping = false;
  private replacing = Promise.resolve();
  /** The worker whose successor is starting. */
  private replaced?: Worker;

  private constructor(private readonly settings: Record<string, string>) {}

  /** The first worker starts alone, so that a wrong setting is reported once. */
  static async start(count: number, settings: Record<string, string>): Promise<Workers> {
    const workers = new Workers(settings);
    await workers.add();
    await Promise.all(Array.from({ length: count - 1 }, () => workers.add()));
    workers.logger.log(`${count} workers are serving`);
    return workers;
  }

  replaceAll(): void {
    this.replacing = this.replacing.then(() => this.replaceEach(Array.from(this.serving)));
  }

  private async replaceEach(workers: Worker[]): Promise<void> {
    for (const worker of workers) {
      // One that died meanwhile has a successor already.
      if (!this.isStopping && this.serving.has(worker)) {
        this.replaced = worker;
        await this.addWithRetries();
        this.replaced = undefined;
        await this.end(worker, 'SIGHUP');
      }
    }
    this.logger.log('all workers were replaced');
  }

  async stop(signal: string): Promise<void> {
    this.isStopping = true;
    this.serving.forEach((worker) => void this.end(worker, signal));
    await Promise.all(this.ending);
  }

  /** @throws {WorkerFailedError} */
  private async add(): Promise<void> {
    const worker = cluster.fork(this.settings);
    const exit = once(worker, 'exit') as Promise<[number | null]>;
    const failed = await Promise.race([once(worker, 'listening').then(() => undefined), exit]);
    if (failed) {
      throw new WorkerFailedError(failed[0] ?? 1);
    }
    this.serving.add(worker);
    void exit.then(() => this.replaceDead(worker));
    if (this.isStopping) {
      await this.end(worker, 'SIGINT');
    }
  }

  private async addWithRetries(): Promise<void> {
    while (!this.isStopping) {
      try {
        await this.add();
        return;
      } catch {
        await delay(RETRY_MS);
      }
    }
  }

  /** A worker that was told to stop is no longer among those that serve. */
  private replaceDead(worker: Worker): void {
    if (this.serving.delete(worker) && !this.isStopping) {
      this.logger.error(`worker ${worker.process.pid} died; starting another one`);
      if (worker !== this.replaced) {
        void this.addWithRetries();
      }
    }
  }

  private async end(worker: Worker, signal: string): Promise<void> {
    if (this.serving.delete(worker) && !worker.isDead()) {
      const exit = once(worker, 'exit');
      this.ending.add(exit);
      // It may have died meanwhile, which its exit reports.
      worker.send({ stop: signal }, () => undefined);
      await exit;
      this.ending.delete(exit);
    }
  }
}

export function countWorkers({ WORKERS }: Env): number {
  return WORKERS === 'auto' ? availableParallelism() : Number(WORKERS);
}

/**
 * Starts several instances as processes that share the port. The database is opened, and migrated, once. SIGHUP replaces the
 * workers in turn, each once its successor is serving. During the start, it does so after the start.
 */
export async function startWorkers(env: Env, stopping: AbortSignal): Promise<Close> {
  const starting = openAndStart(env, stopping);
  process.on('SIGHUP', () => {
    starting.then(
      ({ workers }) => workers.replaceAll(),
      () => undefined,
    );
  });
  return (await starting).close;
}

async function openAndStart(env: Env, stopping: AbortSignal): Promise<{ workers: Workers; close: Close }> {
  const database = await openDatabase(env, 'service', SCHEMA, stopping);
  try {
    const { DATABASE_URL, SECRETS_KEY } = await toAppEnv(env, database);
    const settings = { DATABASE_URL, MIGRATE_ON_START: 'false', ...(SECRETS_KEY && { SECRETS_KEY }) };
    const metrics = new MetricsOfWorkers();
    const workers = await Workers.start(countWorkers(env), settings);
    const closeMetrics = await serveMetricsOfWorkers(env, metrics);
    const close: Close = async (signal) => {
      await workers.stop(signal);
      closeMetrics();
      await database.close();
    };
    return { workers, close };
  } catch (problem) {
    Object.values(cluster.workers ?? {}).forEach((worker) => worker!.process.kill('SIGKILL'));
    await database.close();
    throw problem;
  }
}

/** Calls back when the primary process tells this worker to stop, with the signal to act on. */
export function onStopMessage(stop: (signal: string) => void): void {
  process.on('message', (message: { stop?: string }) => {
    if (message.stop !== undefined) {
      stop(message.stop);
    }
  });
}
