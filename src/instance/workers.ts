import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { toAppEnv } from '../app-env.js';
import type { Env } from '../config/env.js';
import { openDatabase } from '../database/startup/open-database.js';
import type { Close } from './instance.js';
import { serveMetricsOfWorkers } from '../metrics/metrics-of-workers.js';
import { SCHEMA } from '../schema.js';
import { Workers } from './worker-pool.js';

export function countWorkers({ WORKERS }: Env): number {
  return WORKERS === 'auto' ? availableParallelism() : Number(WORKERS);
}

/**
 * Starts several instances as processes that share the port. The database is opened, and migrated, once. SIGHUP replaces the
 * workers in turn, each once its successor is serving.
 */
export async function startWorkers(env: Env, stopping: AbortSignal): Promise<Close> {
  const database = await openDatabase(env, 'service', SCHEMA, stopping);
  try {
    const { DATABASE_URL, SECRETS_KEY } = await toAppEnv(env, database);
    const settings = { DATABASE_URL, MIGRATE_ON_START: 'false', ...(SECRETS_KEY && { SECRETS_KEY }) };
    const workers = await Workers.start(countWorkers(env), settings);
    const closeMetrics = await serveMetricsOfWorkers(env);
    process.on('SIGHUP', () => workers.replaceAll());
    return async (signal) => {
      await workers.stop(signal);
      closeMetrics();
      await database.close();
    };
  } catch (problem) {
    Object.values(cluster.workers ?? {}).forEach((worker) => worker!.process.kill('SIGKILL'));
    await database.close();
    throw problem;
  }
}
