import { setTimeout as delay } from 'node:timers/promises';
import { commandLine } from '../../command-line.js';
import { stopping, watching } from '../../stopping.js';
import type { Api } from '../api.js';
import { Progress } from '../progress.js';
import { POLL_MS, readWithRetries } from '../read-with-retries.js';

export interface LiftBody {
  id: string;
  status: string;
  cause: string;
  created_after: string | null;
  created_before: string | null;
  domains: string[] | null;
  source: string | null;
  actor: string | null;
  diagnostic: string | null;
  count: number;
  by_domain: { domain: string; count: number }[];
  by_diagnostic: { diagnostic: string | null; count: number }[];
  examples: LineBody[];
  failed_again: number;
  delivered_before: number;
  applied: number;
  skipped: number;
  reverted: number;
  error: { message: string } | null;
  created_at: string;
  expires_at: string | null;
  revertible_until: string | null;
}

export interface LineBody {
  email: string;
  cause: string;
  created_at: string;
  diagnostic: string | null;
  status: string;
  reason: string | null;
}

/** How many lines a step has done, by the status of the lift during the step. */
const DONE: Readonly<Record<string, (lift: LiftBody) => [done: number, total: number | null]>> = {
  counting: ({ count }) => [count, null],
  applying: ({ applied, skipped, count }) => [applied + skipped, count],
  reverting: ({ reverted, applied }) => [reverted, applied],
};

export function readLift(api: Api, id: string): Promise<LiftBody> {
  return api.json('GET', liftPath(id));
}

export function liftPath(id: string): string {
  return `/lifts/${encodeURIComponent(id)}`;
}

/** Waits until the service has ended the step that it works on. */
export function watchLift(api: Api, id: string): Promise<LiftBody> {
  const hint = `The lift ${id} goes on. To see how far it is: ${commandLine('lift', 'show', id)}`;
  return watching(hint, () => watch(api, id));
}

async function watch(api: Api, id: string): Promise<LiftBody> {
  const progress = new Progress('lift', 'rows');
  for (;;) {
    const lift = await readWithRetries<LiftBody>(api, liftPath(id), `The lift ${id}`);
    const doneBy = DONE[lift.status];
    if (!doneBy) {
      progress.end();
      return lift;
    }
    progress.show(...doneBy(lift));
    await delay(POLL_MS, undefined, { signal: stopping.signal });
  }
}
