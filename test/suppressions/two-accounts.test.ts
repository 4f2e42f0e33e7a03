import { untilErased } from '../support/erasures.js';
import { until } from '../support/until.js';
import { createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

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

  it('add and batch add: each account gets its own record', async () => {
    const added = await world.as(world.charlie).post('/suppressions').send({ email }).expect(201);
    const [again] = await suppress(world, world.charlie, [email]);
    expect(again).toBe(added.body.id);
    expect(again).not.toBe(id);
    await world.as(world.charlie).delete(`/suppressions/${email}`).expect(200);
  });
});

describe('erasures in two accounts', () => {
  const email = 'shared@example.com';
  const kept = { keep_block: true, reference: 'Case 4711' };
  const complete = { keep_block: false, reference: 'Case 4711', accept_may_be_mailed_again: true };
  let both: World;

  beforeEach(async () => {
    both = await withNewAccounts(world);
    await suppress(both, both.alice, [email]);
    await suppress(both, both.charlie, [email]);
  });

  const as = (key: string) => both.as(key);
  const eraseFully = (key: string, body: object) =>
    untilErased(both, async () => as(key).post(`/contacts/${email}/erase`).send(body));
  const verdict = async (key: string): Promise<string> => {
    const { body } = await as(key)
      .post('/suppressions/check')
      .send({ emails: [email] })
      .expect(200);
    return body.data[0].verdict;
  };
  const listed = async (key: string): Promise<unknown[]> =>
    (await as(key).get('/suppressions').expect(200)).body.data.map(
      (record: { email: string }) => record.email,
    );

  it.each([kept, complete])('erase: the record of another account stays (%j)', async (body) => {
    await eraseFully(both.alice, body);
    expect(await listed(both.charlie)).toEqual([email]);
    expect(await listed(both.alice)).not.toContain(email);
    expect(await verdict(both.charlie)).toBe('suppressed');
    await suppress(both, both.charlie, [email]);
    await as(both.charlie).delete(`/suppressions/${email}`).expect(200);
    expect([await verdict(both.alice), await verdict(both.charlie)]).toEqual([
      body.keep_block ? 'suppressed' : 'send',
      'send',
    ]);
  });

  it('access and erase: not found by the id of a contact of another account', async () => {
    const { body } = await as(both.alice).get(`/contacts/${email}`).expect(200);
    await as(both.charlie).get(`/contacts/${body.id}/data`).expect(404);
    await as(both.charlie).post(`/contacts/${body.id}/erase`).send(kept).expect(404);
    expect(await listed(both.alice)).toEqual([email]);
    await eraseFully(both.alice, kept);
    for (const request of [kept, complete]) {
      await as(both.charlie).post(`/contacts/${body.id}/erase`).send(request).expect(404);
    }
    expect(await verdict(both.alice)).toBe('suppressed');
  });

  it('access: nothing of another account, even after an erasure there', async () => {
    await as(both.charlie).delete(`/suppressions/${email}`).expect(200);
    await eraseFully(both.alice, kept);
    const { body } = await as(both.charlie).get(`/contacts/${email}/data`).expect(200);
    expect(body.tables[0]).toMatchObject({ table: 'suppressions', data: [] });
    expect(JSON.stringify(body)).not.toContain('erased-');
  });

  it('pseudonym key: each account has its own, and none before its first erasure', async () => {
    const keyOf = async (key: string): Promise<string | null> =>
      (await as(key).get('/pseudonym-key').expect(200)).body.key;
    const { pseudonym } = await eraseFully(both.alice, kept);
    expect(await keyOf(both.charlie)).toBeNull();
    const theirs = await eraseFully(both.charlie, kept);
    expect(theirs.pseudonym).not.toBe(pseudonym);
    expect(await keyOf(both.charlie)).not.toBe(await keyOf(both.alice));
    const { body } = await as(both.alice).get('/pseudonym-key').expect(200);
    expect(body.filters).toEqual({ [pseudonym]: expect.any(Number) });
  });

  it('receipts: the same request gets its own receipt', async () => {
    const receipt = await eraseFully(both.alice, kept);
    const theirs = await eraseFully(both.charlie, kept);
    expect(theirs.id).not.toBe(receipt.id);
    expect(theirs.key).not.toBe(receipt.key);
    expect((await as(both.alice).post(`/contacts/${email}/erase`).send(kept).expect(200)).body).toEqual(
      receipt,
    );
  });

  it('repeat: a receipt erases nothing in another account', async () => {
    const { pseudonym, key, created_at } = await eraseFully(both.alice, complete);
    const receipts = [{ pseudonym, keep_block: false, reference: 'Case 4711', key, created_at }];
    const refused = await as(both.charlie).post('/erasures/repeat').send({ receipts }).expect(503);
    expect(refused.body.code).toBe('kept_blocks_unreadable');
    await eraseFully(both.charlie, { ...kept, reference: 'to get a key' });
    const { body } = await as(both.charlie).post('/erasures/repeat').send({ receipts }).expect(200);
    expect(body.found).toEqual([]);
    expect(await verdict(both.charlie)).toBe('suppressed');
  });
});

/** Of the ten connections of an instance, three are kept for lookups, and one for other accounts. */
const WRITING_CONNECTIONS = 6;

describe('an account whose requests all wait for a lock', () => {
  it('does not delay the lookups and writes of another account', async () => {
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
      await world
        .as(world.charlie)
        .post('/suppressions')
        .send({ email: `${turn}@example.com` })
        .expect(201);
    }
    expect(await world.database.countWaiting()).toBe(WRITING_CONNECTIONS);
    await lock.release();
    const statuses = (await removals).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  });
});
