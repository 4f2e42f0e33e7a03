import { ended, upload } from '../support/imports.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { createWorld, type World } from '../support/world.js';

function addresses(count: number, name = 'user'): string {
  return Array.from({ length: count }, (_, index) => `${name}${index}@example.com\n`).join('');
}

describe('jobs', () => {
  let world: World;
  beforeEach(async () => (world = await createWorld()));
  afterEach(() => world.close());

  const countLines = async () =>
    (
      await world.database.query<{ lines: string; addresses: string }>(
        'SELECT count(*) AS lines, count(DISTINCT email) AS addresses FROM suppression_changes',
      )
    )[0]!;

  it('stop when they are cancelled, and keep what they did', async () => {
    const { body } = await upload(world, world.alice, addresses(20_000)).expect(202);
    await until(async () => (await world.as(world.alice).get(`/imports/${body.id}`)).body.rows > 0);
    const cancelled = await world.as(world.alice).post(`/imports/${body.id}/cancel`).expect(200);
    expect(cancelled.body).toMatchObject({ status: 'cancelled', completed_at: expect.any(String) });
    expect(cancelled.body.rows).toBeLessThan(20_000);
    expect(await world.database.query('SELECT FROM suppressions')).toHaveLength(cancelled.body.added);
    const { body: later } = await world.as(world.alice).get(`/imports/${body.id}`);
    expect(later).toEqual(cancelled.body);
    expect(await world.database.query('SELECT FROM job_pieces')).toEqual([]);
  });

  it('are left as they are when they are cancelled after their end', async () => {
    const { body } = await upload(world, world.alice, 'ada@example.com\n').expect(202);
    await ended(world, world.alice, body.id);
    const { body: cancelled } = await world.as(world.alice).post(`/imports/${body.id}/cancel`).expect(200);
    expect(cancelled).toMatchObject({ status: 'completed', added: 1 });
  });

  it('cannot be reverted while they run', async () => {
    const { body } = await upload(world, world.alice, addresses(20_000)).expect(202);
    const { body: refused } = await world.as(world.alice).post(`/imports/${body.id}/revert`).expect(409);
    expect(refused).toMatchObject({ code: 'import_status' });
    await world.as(world.alice).post(`/imports/${body.id}/cancel`).expect(200);
  });

  it('are continued by another instance when one loses its lease, without a row twice', async () => {
    const { body } = await upload(world, world.alice, addresses(15_000)).expect(202);
    await until(async () => (await world.as(world.alice).get(`/imports/${body.id}`)).body.rows > 0);
    await world.database.query(
      `UPDATE jobs SET lease_id = gen_random_uuid(), leased_until = now() + interval '1 second'`,
    );
    const { rows } = (await world.as(world.alice).get(`/imports/${body.id}`)).body;
    expect(rows).toBeLessThan(15_000);
    const done = await ended(world, world.alice, body.id);
    expect(done).toMatchObject({ status: 'completed', rows: 15_000, added: 15_000, unchanged: 0 });
    expect(await countLines()).toEqual({ lines: '15000', addresses: '15000' });
  });

  it('are shared by several instances', async () => {
    const other: TestApp = await startTestApp(world.database.url);
    try {
      const ids: string[] = [];
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        ids.push((await upload(world, world.alice, addresses(3_000, name)).expect(202)).body.id);
      }
      for (const id of ids) {
        expect(await ended(world, world.alice, id)).toMatchObject({ status: 'completed', added: 3_000 });
      }
      expect(await countLines()).toEqual({ lines: '15000', addresses: '15000' });
    } finally {
      await other.close();
    }
  });

  it('go on where they were after the service stops in order', async () => {
    const { body } = await upload(world, world.alice, addresses(15_000)).expect(202);
    await until(async () => (await world.as(world.alice).get(`/imports/${body.id}`)).body.rows > 0);
    await world.app.close();
    const [left] = await world.database.query<{ status: string; lease: string | null }>(
      'SELECT status, lease_id AS lease FROM jobs',
    );
    expect(left).toEqual({ status: 'running', lease: null });
    const next = await startTestApp(world.database.url);
    try {
      await until(async () => {
        const [{ status } = { status: '' }] = await world.database.query<{ status: string }>(
          'SELECT status FROM jobs',
        );
        return status === 'completed';
      });
      expect(await countLines()).toEqual({ lines: '15000', addresses: '15000' });
    } finally {
      await next.close();
    }
  });

  it('whose upload never ended are deleted', async () => {
    await world.database.query(
      `INSERT INTO jobs (account_id, id, kind, status, checkpoint, leased_until)
      VALUES (1, gen_random_uuid(), 'import', 'uploading', '{}', now() - interval '1 second')`,
    );
    await until(async () => (await world.database.query('SELECT FROM jobs')).length === 0);
  });

  it('wait for the database, and go on when it is back', async () => {
    const lock = await world.database.lockPlace(1, 'user700@example.com');
    const { body } = await upload(world, world.alice, addresses(1_500)).expect(202);
    await until(() => world.logLines().some(({ msg }) => msg === 'a job will be tried again'));
    await lock.release();
    expect(await ended(world, world.alice, body.id)).toMatchObject({ status: 'completed', added: 1_500 });
  });
});
