import { setTimeout as delay } from 'node:timers/promises';
import { stopping } from '../stopping.js';
import { ApiProblem, type Api } from './api.js';
import { Progress } from './progress.js';
import type { Upload } from './upload.js';

const POLL_MS = 500;
const PATIENCE_MS = 60_000;
const ENDED = ['completed', 'failed', 'cancelled', 'reverted'];

export interface ImportBody {
  id: string;
  status: string;
  format: string;
  dry_run: boolean;
  rows: number;
  added: number;
  strengthened: number;
  unchanged: number;
  skipped: Record<string, number>;
  invalid: number;
  error: { message: string } | null;
}

export function isEnded({ status }: ImportBody): boolean {
  return ENDED.includes(status);
}

/** Shows how far an import is until it has ended. */
export async function watchImport(
  api: Api,
  { id }: ImportBody,
  lines: number | null,
  { filename }: Upload,
): Promise<ImportBody> {
  const progress = new Progress(filename ?? 'import', 'rows');
  for (;;) {
    const one = await readPatiently(api, id);
    progress.show(one.rows, lines);
    if (isEnded(one)) {
      progress.end();
      return one;
    }
    await delay(POLL_MS, undefined, { signal: stopping.signal });
  }
}

/** An import goes on while the service restarts, so passing errors are no reason to give up. */
async function readPatiently(api: Api, id: string): Promise<ImportBody> {
  const givesUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await api.json<ImportBody>('GET', `/imports/${id}`);
    } catch (problem) {
      if (!(problem instanceof ApiProblem && problem.isPassing)) {
        throw problem;
      }
      if (performance.now() > givesUpAt) {
        throw new ApiProblem(`${problem.message} The import ${id} does not depend on this command.`);
      }
      await delay(POLL_MS, undefined, { signal: stopping.signal });
    }
  }
}
