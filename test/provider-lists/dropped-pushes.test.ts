import { DroppedPushesRepository } from '../../src/provider-lists/push/dropped-pushes.repository.js';
import { OutboxRepository } from '../../src/provider-lists/push/outbox.repository.js';
import { PushWorker } from '../../src/provider-lists/push/push-worker.js';
import { startFakeSendGrid, type FakeSendGrid } from '../support/fake-providers/sendgrid.js';
import { apply, compare, createSendGridList, untilPushed } from '../support/provider-lists.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, withNewAccounts, type World } from '../support/world.js';

const NEW = 'new@example.com';
const ADDITIONS = 4_500;
const REMOVALS = 2_500;
const OF_PLAN = 1_500;

interface Row {
  email: string;
  action: string;
  status: string;
  attempts: number;
  isMarked: boolean;
}

describe('changes that are not wanted any more', () => {
  let service: World;
  let world: World;
  let sendgrid: FakeSendGrid;
  let list: string;
  beforeAll(async () => {
    sendgrid = await startFakeSendGrid();
    service = await createWorld({ ...LOOPBACK, PROVIDER_API_URL_SENDGRID: sendgrid.url });
  });
  beforeEach(async () => {
    world = await withNewAccounts(service);
    sendgrid.clear();
    list = await createSendGridList(world, world.alice);
    await untilPushed(world, list);
    await pauseUntil('2100-01-01');
    sendgrid.requests.length = 0;
  });
  afterAll(async () => {
    await service?.close();
    await sendgrid.close();
  });

  const as = () => world.as(world.alice);
  const pauseUntil = (until_: string | null) =>
    world.database.query('UPDATE provider_lists SET push_paused_until = $2 WHERE id = $1', [list, until_]);
  const insert = (
    count: number,
    name: string,
    action: 'add' | 'remove',
    more: Record<string, unknown> = {},
  ) => {
    const columns = Object.keys(more);
    return world.database.query(
      `INSERT INTO provider_list_pushes (
        account_id, provider_list_id, email, list, address, action, cause, since, next_attempt_at
        ${columns.map((column) => `, ${column}`).join('')}
      )
      SELECT account_id, id, address, 'unsubscribes', address, $3, 'bounce', now(), now() - interval '1 minute'
        ${columns.map((_, index) => `, $${index + 5}`).join('')}
      FROM provider_lists, generate_series(1, $4::integer) AS number, LATERAL (SELECT $2 || number || '@example.com' AS address) AS made
      WHERE id = $1`,
      [list, name, action, count, ...Object.values(more)],
    );
  };
  const rows = () =>
    world.database.query<Row>(
      `SELECT email, action, status, attempts, put_at IS NOT NULL AS "isMarked"
      FROM provider_list_pushes WHERE provider_list_id = $1 ORDER BY email`,
      [list],
    );
  const suppress = (emails: string[]) => as().post('/suppressions/batch/add').send({ emails }).expect(201);
  const changed = () =>
    sendgrid.requests.filter(({ method }) => method !== 'GET').map(({ method, body }) => `${method} ${body}`);
  const work = async () => {
    await pauseUntil(null);
    const take = jest.spyOn(world.app.get(OutboxRepository), 'take');
    try {
      await until(async () => {
        await world.app.get(PushWorker).run();
        return changed().length > 0;
      });
      return take.mock.calls.length;
    } finally {
      take.mockRestore();
    }
  };

  it('are dropped many at a time, so that a new addition need not wait for them', async () => {
    await insert(ADDITIONS, 'lifted', 'add');
    await insert(3, 'sent', 'add', { attempted_at: '2026-01-15' });
    await insert(3, 'put', 'add', { put_at: '2026-01-15' });
    await suppress([NEW]);
    expect(await work()).toBeLessThan(50);
    expect(changed()).toEqual([`POST {"recipient_emails":["${NEW}"]}`]);
    await untilPushed(world, list);
    const marked = { action: 'add', status: 'done', attempts: 0, isMarked: true };
    expect(await rows()).toEqual([
      { ...marked, email: NEW, attempts: 1 },
      ...[1, 2, 3].map((number) => ({ ...marked, email: `put${number}@example.com` })),
      ...[1, 2, 3].map((number) => ({ ...marked, email: `sent${number}@example.com` })),
    ]);
  });

  it('are removals of addresses that are suppressed again, and never become additions', async () => {
    await insert(REMOVALS, 'again', 'remove');
    await insert(3, 'own', 'remove', { put_at: '2026-01-15' });
    await insert(3, 'unsure', 'remove', { put_at: '2026-01-15', attempted_at: '2026-01-16' });
    const names = await rows();
    await world.database.query(
      `INSERT INTO suppressions (account_id, id, email, cause, created_at)
      SELECT $1, uuid_v7(), unnest($2::text[]), 'bounce', now()`,
      [world.acme.id, names.map(({ email }) => email)],
    );
    await suppress([NEW]);
    expect(await work()).toBeLessThan(50);
    expect(changed()).toEqual([`POST {"recipient_emails":["${NEW}"]}`]);
    await untilPushed(world, list);
    const marked = { action: 'add', status: 'done', attempts: 0, isMarked: true };
    expect(await rows()).toEqual([
      { ...marked, email: NEW, attempts: 1 },
      ...[1, 2, 3].map((number) => ({ ...marked, email: `own${number}@example.com` })),
    ]);
  });

  it('are sent at once if they are wanted again before they are dropped', async () => {
    await insert(1, 'again', 'add');
    const dropped = world.app.get(DroppedPushesRepository);
    const drop = dropped.dropUnwanted.bind(dropped);
    const dropping = jest.spyOn(dropped, 'dropUnwanted').mockImplementationOnce(async (...unwanted) => {
      await world.database.query(
        `INSERT INTO suppressions (account_id, id, email, cause, created_at)
        VALUES ($1, uuid_v7(), 'again1@example.com', 'bounce', now())`,
        [world.acme.id],
      );
      await drop(...unwanted);
    });
    try {
      await work();
      expect(dropping).toHaveBeenCalledTimes(1);
    } finally {
      dropping.mockRestore();
    }
    expect(changed()).toEqual(['POST {"recipient_emails":["again1@example.com"]}']);
    expect(await rows()).toMatchObject([{ status: 'done', attempts: 1 }]);
  });

  it('count as skipped in their plan, which ends when the others were sent', async () => {
    await suppress(['first@example.com']);
    await pauseUntil(null);
    await untilPushed(world, list);
    await pauseUntil('2100-01-01');
    sendgrid.clear();
    const { id } = await compare(world, world.alice, list);
    await apply(world, world.alice, list, id);
    await world.database.query(`UPDATE provider_list_plans SET status = 'applying' WHERE id = $1`, [id]);
    await world.database.query('UPDATE provider_lists SET pushing_plan_id = $2 WHERE id = $1', [list, id]);
    await insert(ADDITIONS, 'other', 'add');
    await insert(OF_PLAN, 'planned', 'add', { plan_id: id });
    await suppress([NEW]);
    sendgrid.requests.length = 0;
    await work();
    await untilPushed(world, list);
    const { body } = await as().get(`/provider-lists/${list}/plans/${id}`).expect(200);
    expect(body).toMatchObject({ status: 'applied', applied: 0, skipped: OF_PLAN, reason: null });
  });
});
