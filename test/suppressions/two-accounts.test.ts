import { until } from '../support/until.js';
import { createWorld, suppress, type World } from '../support/world.js';

let world: World;
beforeAll(async () => (world = await createWorld()));
afterAll(() => world.close());

/** Charlie's account has nothing to do with Alice's: for him, her records are not there. */
describe('two accounts', () => {
  let id: string;
  const email = 'shared@example.com';

  beforeAll(async () => {
    [id] = (await suppress(world, world.alice, [email])) as [string];
  });
  afterEach(async () => {
    const { body } = await world.as(world.alice).get(`/suppressions/${id}`).expect(200);
    expect(body).toMatchObject({ id, email, origin: 'manual' });
    const history = await world.as(world.alice).get(`/suppressions/${id}/history`);
    expect(history.body.data).toHaveLength(1);
  });

  const refs = (): string[] => [id, email];

  it('get: not found, by id and by address', async () => {
    for (const ref of refs()) {
      await world.as(world.charlie).get(`/suppressions/${ref}`).expect(404);
    }
  });

  it('remove: not found, by id and by address', async () => {
    for (const ref of refs()) {
      await world.as(world.charlie).delete(`/suppressions/${ref}`).expect(404);
    }
  });

  it('history: not found, by id and by address', async () => {
    for (const ref of refs()) {
      await world.as(world.charlie).get(`/suppressions/${ref}/history`).expect(404);
    }
  });

  it('data about an address: nothing of another account', async () => {
    await suppress(world, world.alice, ['data@example.com']);
    const { text } = await world.as(world.charlie).get('/contacts/data@example.com/data').expect(200);
    expect(text).not.toContain('"row"');
  });

  it('contacts: not found, by id and by address, and unsubscribed in one account only', async () => {
    const asCharlie = world.as(world.charlie);
    const { body } = await world.as(world.alice).get(`/contacts/${email}`).expect(200);
    for (const ref of [email, body.id]) {
      await asCharlie.get(`/contacts/${ref}`).expect(404);
    }
    await asCharlie.patch(`/contacts/${body.id}`).send({ unsubscribed: true }).expect(404);
    const theirs = await asCharlie.patch(`/contacts/${email}`).send({ unsubscribed: true }).expect(200);
    expect(theirs.body.id).not.toBe(body.id);
    await world.as(world.alice).get(`/contacts/${theirs.body.id}`).expect(404);
    const { body: contact } = await world.as(world.alice).get(`/contacts/${email}`).expect(200);
    expect(contact).toEqual(body);
    await asCharlie.patch(`/contacts/${email}`).send({ unsubscribed: false }).expect(200);
  });

  it('batch remove: nothing is deleted, by id and by address', async () => {
    const byId = await world
      .as(world.charlie)
      .post('/suppressions/batch/remove')
      .send({ ids: [id] });
    expect(byId.body.data).toEqual([]);
    const byEmail = await world
      .as(world.charlie)
      .post('/suppressions/batch/remove')
      .send({ emails: [email] });
    expect(byEmail.body.data).toEqual([]);
  });

  it('check: it may be mailed', async () => {
    const { body } = await world
      .as(world.charlie)
      .post('/suppressions/check')
      .send({ emails: [email] });
    expect(body.data).toEqual([{ email, verdict: 'send', suppression: null, decided_by: null }]);
  });

  it('MTA hooks: it is accepted', async () => {
    const { body } = await world
      .as(world.charlie)
      .post('/mta-hooks')
      .send({ context: { stage: 'rcpt' }, envelope: { to: [{ address: email }] } })
      .expect(200);
    expect(body.action).toBe('accept');
  });

  it('list: it is not there, and a foreign cursor shows nothing of it', async () => {
    const before = { before: '00000000-0000-0000-0000-000000000000' };
    for (const query of [{}, { domain: 'example.com' }, { after: id }, before]) {
      const { body } = await world.as(world.charlie).get('/suppressions').query(query).expect(200);
      expect(body).toEqual({ object: 'list', has_more: false, data: [] });
    }
  });

  it('add and batch add: each account gets a record of its own', async () => {
    const added = await world.as(world.charlie).post('/suppressions').send({ email }).expect(201);
    const [again] = await suppress(world, world.charlie, [email]);
    expect(again).toBe(added.body.id);
    expect(again).not.toBe(id);
    await world.as(world.charlie).delete(`/suppressions/${email}`).expect(200);
  });
});

/** Of the ten connections of an instance, three are kept for lookups. */
const WRITING_CONNECTIONS = 7;

describe('an account whose requests all wait for a lock', () => {
  it('does not delay the lookups of another account', async () => {
    await suppress(world, world.alice, ['ada@example.com']);
    const [id] = await suppress(world, world.charlie, ['ada@example.com']);
    await world.as(world.charlie).get(`/suppressions/${id}`).expect(200);
    const lock = await world.database.lockRow('suppressions', 'account_id = 1');
    const removals = Promise.all(
      Array.from({ length: 30 }, () => world.as(world.alice).delete('/suppressions/ada@example.com')),
    );
    await until(async () => (await world.database.countWaiting()) === WRITING_CONNECTIONS);
    for (let turn = 0; turn < 10; turn++) {
      await world.as(world.charlie).get(`/suppressions/${id}`).expect(200);
      await world.as(world.charlie).get('/suppressions/ada@example.com').expect(200);
    }
    expect(await world.database.countWaiting()).toBe(WRITING_CONNECTIONS);
    await lock.release();
    const statuses = (await removals).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });
});
