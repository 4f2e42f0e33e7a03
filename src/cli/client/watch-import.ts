import { setTimeout as delay } from 'node:timers/promises';
import { stopping } from '../stopping.js';
import { ApiProblem, type Api } from './api.js';
import { Progress } from './progress.js';
import type { Upload } from './upload.js';

const POLL_MS = 500;
const RETRY_MS = 60_000;
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

export async function watchImport(
  api: Api,
  { id }: ImportBody,
  lines: number | null,
  { filename }: Upload,
): Promise<ImportBody> {
  const progress = new Progress(filename ?? 'import', 'rows');
  for (;;) {
    const imported = await readWithRetries(api, id);
    progress.show(imported.rows, lines);
    if (isEnded(imported)) {
      progress.end();
      return imported;
    }
    await delay(POLL_MS, undefined, { signal: stopping.signal });
  }
}

/** An import continues while the service restarts, so transient errors are retried. */
async function readWithRetries(api: Api, id: string): Promise<ImportBody> {
  const givesUpAt = performance.now() + RETRY_MS;
  for (;;) {
    try {
      return await api.json<ImportBody>('GET', `/imports/${id}`);
    } catch (problem) {
      if (!(problem instanceof ApiProblem && problem.isTransient)) {
        throw problem;
      }
      if (performance.now() > givesUpAt) {
        throw new ApiProblem(`${problem.message} The import ${id} does not depend on this command.`);
      }
      await delay(POLL_MS, undefined, { signal: stopping.signal });
    }
  }
}
