import { PushWorker } from '../../src/provider-lists/push/push-worker.js';
import { until } from './until.js';
import type { World } from './world.js';

export const SES_LIST = {
  provider: 'ses',
  name: 'SES in Ireland',
  scope: { region: 'eu-west-1' },
  credentials: { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'wJalrXUtnFEMI-the-secret' },
};

export interface PlanBody {
  id: string;
  status: string;
  entries: number;
  counts: Record<string, number>;
  applied: number;
  skipped: number;
  capped: number;
  seconds: number;
  reason: string | null;
}

export interface LineBody {
  email: string;
  kind: string;
  list: string | null;
  cause: string | null;
  listed_at: string | null;
  reason: string | null;
}

let number = 0;

/** A list of SES whose key no other list has. */
export async function createSesList(world: World, key: string, more: object = {}): Promise<string> {
  const credentials = { ...SES_LIST.credentials, access_key_id: `AKIDEXAMPLE${++number}` };
  return createList(world, key, { ...SES_LIST, credentials, ...more });
}

/** Nothing is pushed before the first comparison. */
export async function createComparedSesList(world: World, key: string, more: object = {}): Promise<string> {
  const id = await createSesList(world, key, more);
  await compare(world, key, id);
  return id;
}

/** A list of SendGrid whose subuser no other list has, which was compared, and pushes everything but unsubscribes. */
export function createSendGridList(world: World, key: string, more: object = {}): Promise<string> {
  return createComparedList(world, key, {
    provider: 'sendgrid',
    name: 'SendGrid',
    scope: { subuser: `shop${++number}` },
    credentials: { api_key: 'SG.key' },
    push_additions: true,
    push_removals: true,
    ...more,
  });
}

export async function createList(world: World, key: string, list: object): Promise<string> {
  return (await world.as(key).post('/provider-lists').send(list).expect(201)).body.id;
}

export async function createComparedList(world: World, key: string, list: object): Promise<string> {
  const id = await createList(world, key, list);
  await compare(world, key, id);
  return id;
}

/** Waits until a job has done its part of a plan. */
export async function settled(world: World, key: string, list: string, plan: string): Promise<PlanBody> {
  let body!: PlanBody;
  await until(async () => {
    const response = await world.as(key).get(`/provider-lists/${list}/plans/${plan}`);
    body = response.body as PlanBody;
    return response.status === 200 && !['comparing', 'applying'].includes(body.status);
  });
  return body;
}

export async function compare(world: World, key: string, list: string): Promise<PlanBody> {
  const { body } = await world.as(key).post(`/provider-lists/${list}/plans`).expect(202);
  return settled(world, key, list, body.id);
}

export async function apply(world: World, key: string, list: string, plan: string): Promise<PlanBody> {
  const { status, body } = await world.as(key).post(`/provider-lists/${list}/plans/${plan}/apply`).send({});
  expect({ status, body }).toMatchObject({ status: 202 });
  return settled(world, key, list, plan);
}

const PENDING = `EXISTS (SELECT FROM provider_list_pushes WHERE provider_list_id = list.id AND status = 'pending')`;

/**
 * Works until a list has read all changes of its account and has sent everything.
 *
 * @param isBusy - when there is something to send, in SQL
 */
export function untilPushed(world: World, list: string, isBusy = PENDING): Promise<void> {
  return until(async () => {
    await world.app.get(PushWorker).run();
    const [row] = await world.database.query<{ is_busy: boolean }>(
      `SELECT EXISTS (SELECT FROM feed_pending WHERE account_id = list.account_id)
        OR push_position < (SELECT last_position FROM feed_heads WHERE account_id = list.account_id)
        OR push_lease_id IS NOT NULL
        OR ${isBusy} AS is_busy
      FROM provider_lists AS list WHERE id = $1`,
      [list],
    );
    return !row!.is_busy;
  });
}

/** All lines, page by page. */
export async function linesOf(
  world: World,
  key: string,
  list: string,
  plan: string,
  query: Record<string, string> = {},
): Promise<LineBody[]> {
  const lines: LineBody[] = [];
  for (let after: string | undefined; ;) {
    const { body } = await world
      .as(key)
      .get(`/provider-lists/${list}/plans/${plan}/lines`)
      .query({ limit: '2', ...query, ...(after && { after }) })
      .expect(200);
    lines.push(...body.data);
    if (!body.has_more) {
      return lines;
    }
    after = body.cursor;
  }
}
