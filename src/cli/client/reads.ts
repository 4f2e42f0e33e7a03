import { setTimeout as delay } from 'node:timers/promises';
import { stopping } from '../stopping.js';
import { ApiProblem, type Api, type Query } from './api.js';

const PAGE_SIZE = 100;

interface Page<Element> {
  has_more: boolean;
  cursor?: string | null;
  data: Element[];
}

interface ListRequest<Element> {
  query?: Query;
  limit: number;
  /** Returns where the next page begins. */
  cursorOf(page: Page<Element>): string | null | undefined;
}

/** Reads the pages of a list up to a limit. */
export async function readPages<Element>(
  api: Api,
  path: string,
  { query = {}, limit, cursorOf }: ListRequest<Element>,
): Promise<Element[]> {
  const found: Element[] = [];
  let after: string | undefined;
  for (;;) {
    const size = String(Math.min(PAGE_SIZE, limit - found.length));
    const page = await api.json<Page<Element>>('GET', path, { ...query, limit: size, after });
    found.push(...page.data);
    if (!page.has_more || found.length >= limit) {
      return found;
    }
    after = cursorOf(page) ?? undefined;
  }
}

export const POLL_MS = 500;
const RETRY_MS = 60_000;

/**
 * Reads the progress of a job. It continues while the service restarts, so transient errors are retried.
 *
 * @param job - the subject of a sentence
 */
export function readWithRetries<Body>(api: Api, path: string, job: string): Promise<Body> {
  return withRetries(job, () => api.json<Body>('GET', path));
}

/**
 * Returns a function for requests that may be repeated, which retries transient errors after the first response. Before it, the
 * URL may be wrong.
 *
 * @param job - the subject of a sentence
 */
export function retriesAfterFirst(job: string): <Result>(send: () => Promise<Result>) => Promise<Result> {
  let hasResponded = false;
  return async (send) => {
    const result = await (hasResponded ? withRetries(job, send) : send());
    hasResponded = true;
    return result;
  };
}

async function withRetries<Result>(job: string, send: () => Promise<Result>): Promise<Result> {
  const givesUpAt = performance.now() + RETRY_MS;
  for (;;) {
    try {
      return await send();
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
