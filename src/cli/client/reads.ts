import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { command, jsonOption, limitOption, type LimitOption } from '../options.js';
import { printTable } from '../output.js';
import { stopping, watching } from '../stopping.js';
import { Api, ApiProblem, toFields, type Query } from './api.js';
import { Progress } from './text.js';

const PAGE_SIZE = 100;

interface Page<Element> {
  has_more: boolean;
  /** The cursor of the next page; by default, the id of the last element. */
  cursor?: string | null;
  data: (Element & { id?: string })[];
}

/** Reads the pages of a list up to a limit. */
export async function readPages<Element>(
  api: Api,
  path: string,
  limit: number,
  query: Query = {},
): Promise<Element[]> {
  const found: Element[] = [];
  let after: string | undefined;
  for (;;) {
    const size = Math.min(PAGE_SIZE, limit - found.length);
    const page = await api.get<Page<Element>>(path, { ...query, limit: size, after });
    found.push(...page.data);
    if (!page.has_more || found.length >= limit) {
      return found;
    }
    after = page.cursor ?? page.data.at(-1)?.id;
  }
}

/** A list of the API: its path, the plural of its elements, and how an element is shown as text. */
interface List<Element> {
  path: string;
  things: string;
  toRow: (element: Element) => object;
}

/** @param options - those besides `limit` and `json` filter the list */
export async function printPages<Element extends object>(
  { path, things, toRow }: List<Element>,
  { limit, json, ...filter }: LimitOption,
): Promise<void> {
  const found = await readPages<Element>(new Api(), path, limit, toFields(filter));
  await printTable(found, { json, toRow, empty: `No ${things}.` });
}

export function listCommand<Element extends object>(list: List<Element>): Command {
  return command('list', `List the ${list.things}, newest first`)
    .addOption(limitOption(list.things))
    .addOption(jsonOption())
    .action((options: LimitOption) => printPages(list, options));
}

const POLL_MS = 500;
const RETRY_MS = 60_000;

/** Repeats an attempt until it has a result. */
export async function poll<Result>(
  attempt: () => Promise<Result | undefined>,
  ms = POLL_MS,
): Promise<Result> {
  for (;;) {
    const result = await attempt();
    if (result !== undefined) {
      return result;
    }
    await delay(ms, undefined, { signal: stopping.signal });
  }
}

interface Watched<Job> {
  path: string;
  /** The subject of a sentence, such as `The lift 0198…`. */
  subject: string;
  /** Advice about the job if the command is stopped. */
  hint: string;
  title: string;
  isRunning: (job: Job) => boolean;
  /** Undefined if there is nothing to show yet. */
  progressOf: (job: Job) => [done: number, total: number | null] | undefined;
}

/** Waits until the service no longer works on a job, which continues while the service restarts. */
export function watchJob<Job>(
  api: Api,
  { path, subject, hint, title, isRunning, progressOf }: Watched<Job>,
): Promise<Job> {
  const progress = new Progress(title, 'rows');
  return watching(`${subject} goes on. ${hint}`, () =>
    poll(async () => {
      const job = await withRetries(subject, () => api.get<Job>(path));
      if (!isRunning(job)) {
        progress.end();
        return job;
      }
      const done = progressOf(job);
      if (done) {
        progress.show(...done);
      }
      return undefined;
    }),
  );
}

/**
 * Returns a function for requests that may be repeated, which retries transient errors after the first response. An error
 * before that is not retried, because the URL may be wrong.
 *
 * @param subject - the subject of a sentence
 */
export function retriesAfterFirst(subject: string): <Result>(send: () => Promise<Result>) => Promise<Result> {
  let hasResponded = false;
  return async (send) => {
    const result = await (hasResponded ? withRetries(subject, send) : send());
    hasResponded = true;
    return result;
  };
}

async function withRetries<Result>(subject: string, send: () => Promise<Result>): Promise<Result> {
  const givesUpAt = performance.now() + RETRY_MS;
  const { result } = await poll(async () => {
    try {
      return { result: await send() };
    } catch (problem) {
      if (!(problem instanceof ApiProblem && problem.isTransient)) {
        throw problem;
      }
      if (performance.now() > givesUpAt) {
        throw new ApiProblem(`${problem.message} ${subject} does not depend on this command.`);
      }
      return undefined;
    }
  });
  return result;
}
