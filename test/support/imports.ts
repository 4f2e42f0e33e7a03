import type { Test } from 'supertest';
import { until } from './until.js';
import type { World } from './world.js';

/** What the tests read of an import. */
export interface ImportBody {
  id: string;
  created_at: string;
  status: string;
  rows: number;
  added: number;
  strengthened: number;
  unchanged: number;
  skipped: Record<string, number>;
  invalid: number;
  reverted: number;
  kept: number;
  format: string;
  completed_at: string | null;
  error: { code: string; message: string; line?: number } | null;
}

const ENDED = ['completed', 'failed', 'cancelled', 'reverted'];

export function upload(
  world: World,
  key: string,
  file: string | Buffer,
  query: Record<string, string> = {},
): Test {
  return world.as(key).post('/imports').query(query).set('Content-Type', 'text/csv').send(file);
}

/** Uploads a file and waits for the end of its import. */
export async function importFile(
  world: World,
  key: string,
  file: string | Buffer,
  query: Record<string, string> = {},
): Promise<ImportBody> {
  const { body } = await upload(world, key, file, query).expect(202);
  return ended(world, key, body.id);
}

/** Waits for the end of an import. A busy service may answer 503 meanwhile. */
export async function ended(world: World, key: string, id: string): Promise<ImportBody> {
  let body!: ImportBody;
  await until(async () => {
    const response = await world.as(key).get(`/imports/${id}`);
    body = response.body as ImportBody;
    return response.status === 200 && ENDED.includes(body.status);
  });
  return body;
}
