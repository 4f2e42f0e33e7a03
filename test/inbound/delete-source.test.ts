import { Client } from 'pg';
import { SourceChangesService } from '../../src/inbound/sources/source-changes.service.js';
import {
  createSource,
  postWithCredential,
  readInbox,
  readLedger,
  sparkpostBatch,
  type TestSource,
} from '../support/sources.js';
import { until } from '../support/until.js';
import { createWorld, type World } from '../support/world.js';
import { OPERATOR } from '../support/operator.js';

describe('a source that is deleted', () => {
  let world: World;
  let source: TestSource;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(async () => (source = await createSource(world, 'sparkpost')));
  afterAll(() => world.close());

  const bounce = (email: string) =>
    postWithCredential(
      world,
      source,
      sparkpostBatch([{ type: 'bounce', bounce_class: '10', raw_rcpt_to: email }]),
    );
  const waiting = async () => {
    const [row] = await world.database.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return row!.count;
  };

  /** Does something while a transaction that deletes a source is open; it is committed when that waits for it. */
  const whileDeleted = async <T>(id: string, work: () => PromiseLike<T>): Promise<T> => {
    const client = new Client(world.database.url);
    await client.connect();
    await client.query('BEGIN');
    await client.query('DELETE FROM sources WHERE id = $1', [id]);
    const done = Promise.resolve(work());
    await until(async () => (await waiting()) === 1);
    await client.query('COMMIT');
    await client.end();
    return done;
  };

  it('during a delivery is not found, and the delivery does nothing', async () => {
    const { status, body } = await whileDeleted(source.id, () => bounce('midst@example.com'));
    expect([status, body.code]).toEqual([404, 'source_not_found']);
    expect(await readLedger(world, 'midst@example.com')).toEqual([]);
  });

  it('during a request that reports events makes the caller retry, and creates the source again', async () => {
    const postEvent = () =>
      world.as(world.alice).post('/events').send({ type: 'complaint', email: 'own@example.com' });
    await postEvent().expect(200);
    const [own] = await world.database.query<{ id: string }>(
      `SELECT id FROM sources WHERE provider = 'event'`,
    );
    const { status, body } = await whileDeleted(own!.id, postEvent);
    expect([status, body.code]).toEqual([503, 'service_unavailable']);
    await postEvent().expect(200);
    expect(await readInbox(world, own!)).toEqual(['own@example.com complaint suppress: nothing']);
  });

  it('accepts nothing more while it is emptied, so that emptying it ends', async () => {
    expect((await bounce('before@example.com')).status).toBe(200);
    const row = await world.database.lockRow('delivery_events', `source_id = '${source.id}'`);
    const deletion = world.app
      .get(SourceChangesService)
      .delete({ actor: OPERATOR, deadline: Infinity }, source.id);
    await until(async () => (await waiting()) === 1);
    expect((await bounce('meanwhile@example.com')).body.code).toBe('source_paused');
    await row.release();
    await deletion;
    expect((await bounce('after@example.com')).status).toBe(404);
    expect(await readLedger(world, 'before@example.com')).toEqual(['added bounce by sparkpost']);
  });
});
