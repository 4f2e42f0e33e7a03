import { setTimeout as delay } from 'node:timers/promises';
import { stopping, watching } from '../stopping.js';
import type { Api } from './api.js';
import { Progress } from './text.js';
import { POLL_MS, readWithRetries } from './reads.js';
import type { Upload } from './upload.js';

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

export function watchImport(
  api: Api,
  { id }: ImportBody,
  lines: number | null,
  { filename }: Upload,
): Promise<ImportBody> {
  const hint = `The import ${id} goes on. To cancel it, open it in the console, or call POST /imports/${id}/cancel.`;
  return watching(hint, () => watch(api, id, lines, filename));
}

async function watch(
  api: Api,
  id: string,
  lines: number | null,
  filename: string | undefined,
): Promise<ImportBody> {
  const progress = new Progress(filename ?? 'import', 'rows');
  for (;;) {
    const imported = await readWithRetries<ImportBody>(api, `/imports/${id}`, `The import ${id}`);
    progress.show(imported.rows, lines);
    if (isEnded(imported)) {
      progress.end();
      return imported;
    }
    await delay(POLL_MS, undefined, { signal: stopping.signal });
  }
}
