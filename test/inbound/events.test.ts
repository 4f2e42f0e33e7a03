import { randomUUID } from 'node:crypto';
import { SourcesService } from '../../src/inbound/sources/sources.service.js';
import { OWN_UUID } from '../support/deliveries.js';
import { readLedger, readList } from '../support/sources.js';
import { createWorld, type World } from '../support/world.js';

describe('telling events', () => {
  let world: World;
  let email: string;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(() => (email = `${randomUUID()}@example.com`));
  afterAll(() => world.close());

  const tell = (body: object, { key = world.alice, headers = {} } = {}) =>
    world.as(key).post('/events').set(headers).send(body);
  const record = async () => (await readList(world)).filter((row) => row.email === email);

  it('suppresses, and answers what each event did', async () => {
    const events = [
      { type: 'bounce', email, source_id: OWN_UUID.toUpperCase() },
      { type: 'complaint', email: email.toUpperCase() },
      { type: 'unsubscribe', email },
    ];
    const { body } = await tell(events).expect(200);
    const [{ id } = { id: 'none' }] = await record();
    expect(body).toEqual({
      data: ['added', 'strengthened', 'nothing'].map((outcome) => ({
        object: 'event',
        outcome,
        suppression_id: id,
      })),
    });
    expect(await readLedger(world, email)).toEqual([
      'added bounce by event',
      'strengthened complaint by event',
    ]);
  });

  it('takes one event without an array, with the id of its mail', async () => {
    await tell({ type: 'bounce', email, source_id: OWN_UUID }).expect(200);
    expect(await record()).toMatchObject([{ cause: 'bounce', email_id: OWN_UUID }]);
  });

  it.each([
    [{ status: '5.1.1' }, 'added'],
    [{ diagnostic: '550 no such user' }, 'added'],
    [{}, 'added'],
    [{ status: '' }, 'added'],
    [{ status: ' ', diagnostic: '' }, 'added'],
    [{ status: '', diagnostic: '452 4.2.2 mailbox full' }, 'counted'],
    [{ status: '5.2.2' }, 'counted'],
    [{ diagnostic: '550 5.7.1 rejected as spam' }, 'nothing'],
  ])('judges a bounce with %j by what was said: %s', async (said, outcome) => {
    const { body } = await tell({ type: 'bounce', email, ...said }).expect(200);
    expect(body.data[0].outcome).toBe(outcome);
  });

  it('of the same mail or moment twice does nothing the second time, and answers the same', async () => {
    const event = { type: 'complaint', email, occurred_at: '2026-11-20T10:00:00Z' };
    const first = await tell(event).expect(200);
    await world.as(world.alice).delete(`/suppressions/${email}`).expect(200);
    const second = await tell(event).expect(200);
    expect(second.body).toEqual(first.body);
    expect(await record()).toEqual([]);
    await tell({ type: 'complaint', email }).expect(200);
    expect(await record()).toHaveLength(1);
  });

  it('under one Idempotency-Key is done once, also at once, and by another key of the account', async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const event = { type: 'bounce', email };
    const answers = await Promise.all(Array.from({ length: 10 }, () => tell(event, { headers }).expect(200)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    await tell({ ...event, type: 'complaint' }, { headers }).expect(409);
    expect(await readLedger(world, email)).toEqual(['added bounce by event']);
    await tell({ ...event, type: 'complaint' }, { headers, key: world.charlie }).expect(200);
  });

  it.each([
    ['of which it is the oldest', 0],
    ['of which others are older', 5],
  ])(
    'under an Idempotency-Key of three days ago, %s, is new, and spends it again',
    async (_which, others) => {
      const headers = { 'Idempotency-Key': randomUUID() };
      const event = { type: 'bounce', email };
      await world.database.query('DELETE FROM spent_tokens');
      await tell(event, { headers }).expect(200);
      await world.database.query(`UPDATE spent_tokens SET spent_at = now() - interval '3 days'`);
      await world.database.query(
        `INSERT INTO spent_tokens (token_hash, source_id, keys_hash, spent_at)
      SELECT sha256(number::text::bytea), gen_random_uuid(), sha256(''), now() - interval '4 days'
      FROM generate_series(1, $1::integer) AS number`,
        [others],
      );
      await tell({ ...event, type: 'unsubscribe' }, { headers }).expect(200);
      await tell({ ...event, type: 'complaint' }, { headers }).expect(409);
      await tell({ ...event, type: 'unsubscribe' }, { headers }).expect(200);
      expect(await readLedger(world, email)).toEqual([
        'added bounce by event',
        'strengthened unsubscribe by event',
      ]);
    },
  );

  it('needs the scope events:write', async () => {
    const { body } = await tell({ type: 'bounce', email }, { key: world.bob }).expect(401);
    expect(body.code).toBe('restricted_api_key');
  });

  it('touches the list of its own account alone', async () => {
    const event = { type: 'bounce', email, source_id: OWN_UUID };
    await tell(event).expect(200);
    await tell(event, { key: world.charlie }).expect(200);
    expect(new Set((await record()).map(({ account_id }) => account_id)).size).toBe(2);
  });

  it('takes none when one is wrong, and names every wrong field', async () => {
    const wrong = [
      { type: 'bounce', email },
      { type: 'opened', email: 'nobody', source_id: 'x', occurred_at: 'noon', status: 5, diagnostic: [] },
      null,
    ];
    const { body } = await tell(wrong).expect(400);
    expect(body.errors.map(({ path }: { path: string }) => path)).toEqual([
      ...['type', 'email', 'source_id', 'occurred_at', 'status', 'diagnostic'].map((field) => `[1].${field}`),
      '[2].type',
      '[2].email',
    ]);
    expect(await record()).toEqual([]);
    expect((await tell({}).expect(400)).body.errors[0].path).toBe('type');
    await tell([]).expect(400);
    await tell(Array.from({ length: 101 }, () => ({ type: 'bounce', email }))).expect(400);
    await world.as(world.alice).post('/events').expect(400);
    const headers = { 'Idempotency-Key': 'x'.repeat(257) };
    expect((await tell({ type: 'bounce', email }, { headers }).expect(400)).body.code).toBe(
      'invalid_idempotency_key',
    );
  });

  it('is paused as a source is, has no secrets, and no URL among those of providers', async () => {
    await tell({ type: 'bounce', email }).expect(200);
    const sources = world.app.get(SourcesService);
    const own = (await sources.list()).find(({ provider }) => provider === 'event')!;
    expect(sources.urlOf(own)).toMatch(/\/events$/);
    await world.anyone.post(`/inbound/${own.urlId}`).send([]).expect(404);
    await expect(sources.setSecrets(own.id, { password: 'x' })).rejects.toMatchObject({ exitCode: 2 });
    await sources.pause(own.id);
    expect((await tell({ type: 'bounce', email }).expect(503)).body.code).toBe('source_paused');
    await sources.resume(own.id);
    await tell({ type: 'bounce', email }).expect(200);
  });
});
