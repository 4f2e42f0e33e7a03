import { createSource, postWithCredential, sparkpostBatch } from '../support/sources.js';
import { createWorld, suppress, type World } from '../support/world.js';

interface Change {
  id: string;
  action: string;
  suppression_id: string;
}

describe('GET /suppressions/:suppression/history', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const history = (ref: string, query: object = {}) =>
    world.as(world.alice).get(`/suppressions/${ref}/history`).query(query);

  it('says who did what, when, and why, newest first', async () => {
    const { body: added } = await world
      .as(world.alice)
      .post('/suppressions')
      .send({ email: 'ada@example.com', note: 'Asked on the phone' });
    await world.as(world.alice).delete('/suppressions/ada@example.com').expect(200);
    const { body } = await history('ada@example.com').expect(200);
    const line = {
      object: 'change',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      suppression_id: added.id,
      topic: null,
      email: 'ada@example.com',
      cause: 'manual',
      origin: 'manual',
      source_id: null,
      actor: { type: 'api_key', id: expect.any(String), name: 'alice' },
      evidence: null,
      lift_id: null,
      expires_at: null,
      event_id: null,
      occurred_at: null,
      created_at: expect.stringMatching(/Z$/),
    };
    expect(body).toEqual({
      object: 'list',
      has_more: false,
      data: [
        { ...line, action: 'removed', note: null },
        { ...line, action: 'added', note: 'Asked on the phone' },
      ],
    });
  });

  it('names the delivery event that caused a change, and when it happened', async () => {
    const source = await createSource(world, 'sparkpost');
    const bounce = { type: 'bounce', bounce_class: '10', raw_rcpt_to: 'late@example.com' };
    const batch = sparkpostBatch([{ ...bounce, timestamp: '1700000000' }]);
    expect((await postWithCredential(world, source, batch)).status).toBe(200);
    const [event] = await world.database.query<{ id: string }>(
      `SELECT id FROM delivery_events WHERE recipient = 'late@example.com'`,
    );
    const { body } = await history('late@example.com').expect(200);
    expect(body.data).toMatchObject([
      { action: 'added', event_id: event!.id, occurred_at: '2023-11-14T22:13:20.000Z' },
    ]);
  });

  it('covers the address under every id it had, in pages', async () => {
    const ids: string[] = [];
    for (let round = 0; round < 3; round++) {
      const [id] = await suppress(world, world.alice, ['again@example.com']);
      await world.as(world.alice).delete(`/suppressions/${id}`).expect(200);
      ids.push(id!);
    }
    const whole = await history('again@example.com');
    expect(whole.body.data.map(({ action }: Change) => action)).toEqual(
      Array(3).fill(['removed', 'added']).flat(),
    );
    for (const id of ids) {
      expect((await history(id).expect(200)).body).toEqual(whole.body);
    }
    const first = await history(ids[0]!, { limit: 4 });
    expect(first.body.has_more).toBe(true);
    const second = await history(ids[0]!, { limit: 4, after: first.body.data[3].id });
    expect(second.body.has_more).toBe(false);
    expect([...first.body.data, ...second.body.data]).toEqual(whole.body.data);
  });

  it('takes a note of a thousand characters, however many bytes they have', async () => {
    const note = '❤️'.repeat(500);
    await world.as(world.alice).post('/suppressions').send({ email: 'heart@example.com', note }).expect(201);
    expect((await history('heart@example.com')).body.data[0].note).toBe(note);
    const longer = { email: 'heart2@example.com', note: `${note}❤️` };
    await world.as(world.alice).post('/suppressions').send(longer).expect(400);
  });

  it('is not found with a cursor, either, if nothing ever happened', () =>
    history('nobody@example.com', { after: '01890000-0000-7000-8000-000000000000' }).expect(404));

  it.each(['01890000-0000-7000-8000-000000000000', 'the id of a change of another address'])(
    'refuses to go on after %s',
    async (after) => {
      await suppress(world, world.alice, ['one@example.com', 'two@example.com']);
      const [foreign] = (await history('two@example.com')).body.data;
      const id = after.startsWith('the') ? foreign.id : after;
      const { body } = await history('one@example.com', { after: id }).expect(400);
      expect(body.message).toBe('after must be the id of a change in this history.');
    },
  );

  it('writes nothing for what changes nothing', async () => {
    await suppress(world, world.alice, ['once@example.com']);
    await suppress(world, world.alice, ['once@example.com', 'ONCE@example.com']);
    expect((await history('once@example.com')).body.data).toHaveLength(1);
  });

  it.each(['nobody@example.com', '01890000-0000-7000-8000-000000000000'])('answers 404 for %s', (ref) =>
    history(ref).expect(404),
  );

  it.each([{ limit: 0 }, { after: 'x' }])('refuses %j', (query) =>
    history('ada@example.com', query).expect(400),
  );

  it.each([
    [`UPDATE suppression_changes SET note = 'forged'`],
    ['DELETE FROM suppression_changes'],
    ['TRUNCATE suppression_changes'],
  ])('is kept by the database: %s is refused', (statement) =>
    expect(world.database.query(statement)).rejects.toThrow('append-only'),
  );
});
