import { setTimeout as delay } from 'node:timers/promises';
import { stopping } from '../stopping.js';
import { ApiProblem, type Api } from './api.js';

export const POLL_MS = 500;
const RETRY_MS = 60_000;

/**
 * Reads the progress of a job. It continues while the service restarts, so transient errors are retried.
 *
 * @param job - the subject of a sentence
 */
export async function readWithRetries<Body>(api: Api, path: string, job: string): Promise<Body> {
  const givesUpAt = performance.now() + RETRY_MS;
  for (;;) {
    try {
      return await api.json<Body>('GET', path);
    } catch (problem) {
      if (!(problem instanceof ApiProblem && problem.isTransient)) {
        throw problem;
      }
      if (performance.now() > givesUpAt) {
        throw new ApiProblem(`${problem.message} ${job} does not depend on this command.`);
      }
      await delay(POLL_MS, undefined, { signal: stopping.signal });
    }
  }
}
