import { until } from './until.js';
import type { World } from './world.js';

/** What the tests read of a lift. */
export interface LiftBody {
  id: string;
  status: string;
  count: number;
  by_domain: { domain: string; count: number }[];
  by_diagnostic: { diagnostic: string | null; count: number }[];
  examples: { email: string }[];
  failed_again: number;
  delivered_before: number;
  applied: number;
  skipped: number;
  reverted: number;
  error: { code: string; message: string } | null;
}

const RESTING = ['ready', 'applied', 'reverted', 'expired'];

/** Waits for the end of a step of a lift. */
export async function rested(world: World, key: string, id: string): Promise<LiftBody> {
  let body!: LiftBody;
  await until(async () => {
    const response = await world.as(key).get(`/lifts/${id}`);
    body = response.body as LiftBody;
    return response.status === 200 && RESTING.includes(body.status);
  });
  return body;
}

/** Creates a lift and waits until it is counted. */
export async function countLift(world: World, key: string, query: object): Promise<LiftBody> {
  const { body } = await world.as(key).post('/lifts').send(query).expect(202);
  return rested(world, key, body.id);
}

/** Applies a lift and waits for the end. */
export async function applyLift(world: World, key: string, id: string, body: object = {}): Promise<LiftBody> {
  await world.as(key).post(`/lifts/${id}/apply`).send(body).expect(202);
  return rested(world, key, id);
}

/** Makes a lift that was counted one that stopped with an error before its first line. */
export async function stopLift({ database }: World, id: string): Promise<void> {
  await database.query(
    `WITH lift AS (
      UPDATE lifts SET status = 'applied', lines_until = now() + interval '30 days', applied_by = created_by WHERE id = $1
    )
    UPDATE jobs SET status = 'failed', error = '{"code": "internal_server_error", "message": "It failed."}' WHERE id = $1`,
    [id],
  );
}

/** Reverts a lift and waits for the end. */
export async function revertLift(world: World, key: string, id: string): Promise<LiftBody> {
  await world.as(key).post(`/lifts/${id}/revert`).expect(202);
  return rested(world, key, id);
}

interface LineBody {
  email: string;
  status: string;
  reason: string | null;
  diagnostic: string | null;
  created_at: string;
}

/** All lines of a lift, read in pages. */
export async function linesOf(world: World, key: string, id: string): Promise<LineBody[]> {
  const lines: LineBody[] = [];
  let page: { has_more: boolean; cursor: string; data: LineBody[] } = {
    has_more: true,
    cursor: '0',
    data: [],
  };
  while (page.has_more) {
    const { body } = await world.as(key).get(`/lifts/${id}/lines?limit=100&after=${page.cursor}`).expect(200);
    page = body;
    lines.push(...page.data);
  }
  return lines;
}
