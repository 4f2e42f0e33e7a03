import { ExpirySweep } from '../../src/suppressions/expiry-sweep.js';
import { createKey, createWorld, suppress, type World } from '../support/world.js';

const ADA = 'ada@example.com';
const EVE = 'eve@example.com';
const LATER = '2999-01-01T00:00:00.000Z';
const DAY_MS = 86_400_000;

describe('a suppression that expires', () => {
  let world: World;
  let alice: string;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(async () => (alice = await createKey(world)));
  afterAll(() => world.close());

  const add = (body: object) =>
    world
      .as(alice)
      .post('/suppressions')
      .send({ email: ADA, ...body });
  const report = async (type: string, email = ADA) =>
    (await world.as(alice).post('/events').send({ type, email, status: '5.1.1' }).expect(200)).body.data[0];
  const causes = async (email = ADA): Promise<Record<string, string | null>[] | undefined> =>
    (await world.as(alice).get(`/suppressions/${email}`).query({ include: 'causes' })).body.causes;
  const expiries = async (email = ADA) =>
    (await causes(email))?.map(({ cause, expires_at }) => [cause, expires_at]);
  const check = async (body: object = {}) =>
    (
      await world
        .as(alice)
        .post('/suppressions/check')
        .send({ emails: [ADA], ...body })
    ).body.data[0];
  const history = async (email = ADA): Promise<Record<string, string>[]> =>
    (await world.as(alice).get(`/suppressions/${email}/history`)).body.data;
  const actions = async (email = ADA) =>
    (await history(email)).map(({ action, cause }) => `${action} ${cause}`);
  const remove = (query = '') => world.as(alice).delete(`/suppressions/${ADA}${query}`);
  /** The time at which it expires comes. */
  const pass = (email = ADA) =>
    world.database.query(
      `UPDATE suppressions SET expires_at = now() - interval '1 millisecond'
      WHERE email = $1 AND expires_at IS NOT NULL`,
      [email],
    );
  const sweep = () => world.app.get(ExpirySweep).run();
  const countRows = async (email = ADA) =>
    (await world.database.query('SELECT FROM suppressions WHERE email = $1', [email])).length;
  const setTerms = (...terms: string[]) =>
    world.as(alice).patch('/account').send({ bounce_expiry: terms }).expect(200);
  const daysLeft = async () =>
    (await expiries())?.map(([cause, at]) => [
      cause,
      at && Math.round((Date.parse(at) - Date.now()) / DAY_MS),
    ]);

  afterEach(() => world.database.query('DELETE FROM suppressions'));

  describe('and was added by hand', () => {
    it('shows when it expires, and is on the list until then', async () => {
      await add({ expires_at: '2999-01-01' }).expect(201);
      expect(await expiries()).toEqual([['manual', LATER]]);
      expect((await history())[0]).toMatchObject({ action: 'added', expires_at: LATER });
      expect(await check()).toMatchObject({ verdict: 'suppressed' });
      await world
        .as(alice)
        .post('/suppressions/batch/add')
        .send({ emails: [EVE], expires_at: LATER })
        .expect(201);
      expect(await expiries(EVE)).toEqual([['manual', LATER]]);
    });

    it.each(['2020-01-01', new Date(Date.now() - 1).toISOString(), 'tomorrow', 7, {}])(
      'refuses the expiry %j',
      async (expires_at) => {
        expect((await add({ expires_at }).expect(400)).body.errors).toMatchObject([{ path: 'expires_at' }]);
        await world
          .as(alice)
          .post('/suppressions/batch/add')
          .send({ emails: [ADA], expires_at })
          .expect(400);
        expect(await countRows()).toBe(0);
      },
    );

    it('is extended, and never shortened', async () => {
      const { body } = await add({ expires_at: '2900-01-01' }).expect(201);
      expect((await add({ expires_at: LATER }).expect(200)).body.id).toBe(body.id);
      expect(await expiries()).toEqual([['manual', LATER]]);
      await add({ expires_at: '2950-01-01' }).expect(200);
      expect(await expiries()).toEqual([['manual', LATER]]);
      await add({}).expect(200);
      expect(await expiries()).toEqual([['manual', null]]);
      await add({ expires_at: LATER }).expect(200);
      expect(await expiries()).toEqual([['manual', null]]);
      expect(await actions()).toEqual(['strengthened manual', 'strengthened manual', 'added manual']);
    });

    it('is absent at once when it expires, for every reader and before any sweep', async () => {
      const { body } = await add({ expires_at: LATER });
      await suppress(world, alice, [EVE]);
      await pass();
      await world.as(alice).get(`/suppressions/${ADA}`).expect(404);
      await world.as(alice).get(`/suppressions/${body.id}`).expect(404);
      expect(await check()).toMatchObject({ verdict: 'send', suppression: null });
      expect(await check({ transactional: true })).toMatchObject({ verdict: 'send' });
      for (const query of [{}, { origin: 'manual' }, { domain: 'example.com' }]) {
        const list = await world.as(alice).get('/suppressions').query(query).expect(200);
        expect(list.body.data.map(({ email }: { email: string }) => email)).toEqual([EVE]);
      }
      const exported = await world.as(alice).get('/exports').buffer(true).expect(200);
      expect(exported.text).toContain(EVE);
      expect(exported.text).not.toContain(ADA);
      const scrubbed = await world
        .as(alice)
        .post('/scrubs')
        .set('Content-Type', 'text/csv')
        .send(`email\n${ADA}\n${EVE}\n`);
      expect(scrubbed.text).toBe(`email\n${ADA}\n`);
      await remove().expect(404);
      await remove('?cause=manual').expect(404);
      const removed = await world
        .as(alice)
        .post('/suppressions/batch/remove')
        .send({ ids: [body.id] });
      expect(removed.body.data).toEqual([]);
      expect(await countRows()).toBe(1);
    });

    it('is removed by the sweep, with a line in the history', async () => {
      await add({ expires_at: LATER });
      await sweep();
      expect(await countRows()).toBe(1);
      await pass();
      await Promise.all([sweep(), sweep()]);
      expect(await countRows()).toBe(0);
      expect((await history())[0]).toMatchObject({
        action: 'expired',
        cause: 'manual',
        actor: { type: 'system', id: null, name: 'expiry' },
      });
      expect(await actions()).toEqual(['expired manual', 'added manual']);
    });

    it.each([
      [ADA, EVE],
      [EVE, ADA],
    ])('is removed although that of another account, %s, cannot be', async (failing, removed) => {
      await add({ expires_at: LATER });
      await world
        .as(await createKey(world))
        .post('/suppressions')
        .send({ email: EVE, expires_at: LATER })
        .expect(201);
      await pass();
      await pass(EVE);
      const ledger = 'ALTER TABLE suppression_changes';
      await world.database.query(`${ledger} ADD CONSTRAINT refused CHECK (email <> '${failing}') NOT VALID`);
      await sweep();
      await world.database.query(`${ledger} DROP CONSTRAINT refused`);
      expect([await countRows(failing), await countRows(removed)]).toEqual([1, 0]);
    });

    it('gets a new id when it is added again, before or after the sweep', async () => {
      const first = await add({ expires_at: LATER });
      await pass();
      const second = await add({ expires_at: LATER }).expect(201);
      expect(second.body.id).not.toBe(first.body.id);
      await pass();
      expect(await report('bounce')).toMatchObject({ outcome: 'added' });
      expect(await actions()).toEqual([
        'added bounce',
        'expired manual',
        'added manual',
        'expired manual',
        'added manual',
      ]);
    });

    it('skips a record that somebody is changing, and sweeps it later', async () => {
      await add({ expires_at: LATER });
      await add({ email: EVE, expires_at: LATER });
      await pass();
      await pass(EVE);
      const lock = await world.database.lockRow('suppressions', `email = '${ADA}'`);
      await sweep();
      expect([await countRows(), await countRows(EVE)]).toEqual([1, 0]);
      await lock.release();
      await sweep();
      expect(await countRows()).toBe(0);
    });
  });

  it('keeps a complaint and an unsubscribe when a bounce and a manual entry end', async () => {
    await add({ expires_at: LATER });
    await report('complaint');
    await pass();
    expect(await expiries()).toEqual([['complaint', null]]);
    for (const [cause, emails] of Object.entries({ manual: [], complaint: [ADA] })) {
      const list = await world.as(alice).get('/suppressions').query({ cause }).expect(200);
      expect(list.body.data.map(({ email }: { email: string }) => email)).toEqual(emails);
      const exported = await world.as(alice).get('/exports').query({ cause }).buffer(true).expect(200);
      expect(exported.text.includes(ADA)).toBe(emails.length > 0);
    }
    expect(await check()).toMatchObject({ decided_by: { cause: 'complaint' } });
    await world.as(alice).patch('/account').send({ complaint_reach: 'marketing' }).expect(200);
    expect(await check({ transactional: true })).toMatchObject({ verdict: 'send', decided_by: null });
    await remove('?cause=manual').expect(404);
    await sweep();
    expect(await expiries()).toEqual([['complaint', null]]);
    expect(await actions()).toEqual(['expired manual', 'strengthened complaint', 'added manual']);
    await add({ expires_at: LATER }).expect(200);
    expect(await expiries()).toEqual([
      ['complaint', null],
      ['manual', LATER],
    ]);
    await pass();
    expect((await add({ expires_at: LATER }).expect(200)).body.id).toBe(
      (await world.as(alice).get(`/suppressions/${ADA}`)).body.id,
    );
    expect(await expiries()).toEqual([
      ['complaint', null],
      ['manual', LATER],
    ]);
  });

  it('ends with its own line if another cause is lifted before the sweep', async () => {
    await report('bounce');
    await add({ expires_at: LATER });
    await world.database.query('UPDATE suppressions SET expires_at = $1', [LATER]);
    await world.as(alice).patch(`/contacts/${ADA}`).send({ unsubscribed: true }).expect(200);
    await report('complaint');
    await pass();
    await remove('?cause=complaint').expect(200);
    expect((await history()).slice(0, 3).map(({ expires_at }) => expires_at)).toEqual([null, null, null]);
    expect(await expiries()).toEqual([['unsubscribe', null]]);
    await sweep();
    expect(await expiries()).toEqual([['unsubscribe', null]]);
    expect((await actions()).slice(0, 3).toSorted()).toEqual([
      'cause_removed complaint',
      'expired bounce',
      'expired manual',
    ]);
  });

  describe('and was added for a bounce', () => {
    it('is permanent unless the account has an expiry', async () => {
      await report('bounce');
      expect(await expiries()).toEqual([['bounce', null]]);
    });

    it('lasts longer each time, and in the end for good', async () => {
      await setTerms('7d', '30d');
      for (const days of [7, 30, null, null]) {
        expect(await report('bounce')).toMatchObject({ outcome: 'added' });
        expect(await daysLeft()).toEqual([['bounce', days]]);
        expect(await report('bounce')).toMatchObject({ outcome: 'nothing' });
        expect(await daysLeft()).toEqual([['bounce', days]]);
        if (days === 7) {
          await pass();
        } else {
          await remove().expect(200);
        }
      }
    });

    it('does not count bounces from more than two years ago', async () => {
      await setTerms('7d');
      const occurred_at = new Date(Date.now() - 3 * 365 * DAY_MS).toISOString();
      await world
        .as(alice)
        .post('/events')
        .send({ type: 'bounce', email: ADA, status: '5.1.1', occurred_at })
        .expect(200);
      await remove().expect(200);
      await report('bounce');
      expect(await daysLeft()).toEqual([['bounce', 7]]);
    });

    it('uses the next term for the next bounce of one delivery', async () => {
      await setTerms('7d', '30d');
      await report('complaint');
      await report('bounce');
      expect(await daysLeft()).toEqual([
        ['complaint', null],
        ['bounce', 7],
      ]);
    });

    it('ends together with a manual entry, at the later time; if one is lifted, the other keeps that end', async () => {
      await setTerms('7d');
      await add({ expires_at: LATER });
      await report('bounce');
      expect(await expiries()).toEqual([
        ['manual', LATER],
        ['bounce', LATER],
      ]);
      await remove('?cause=manual').expect(200);
      expect(await expiries()).toEqual([['bounce', LATER]]);
      expect((await history())[0]).toMatchObject({ action: 'cause_removed', expires_at: LATER });
      await add({}).expect(200);
      expect(await expiries()).toEqual([
        ['manual', null],
        ['bounce', null],
      ]);
    });

    it('does not hide that a manual entry was extended', async () => {
      await add({ expires_at: LATER });
      await report('bounce');
      await add({}).expect(200);
      await remove('?cause=bounce').expect(200);
      expect(await expiries()).toEqual([['manual', null]]);
    });

    it('keeps its expiry when the setting changes', async () => {
      await setTerms('7d');
      await report('bounce');
      expect(await daysLeft()).toEqual([['bounce', 7]]);
      await setTerms('9d');
      expect(await daysLeft()).toEqual([['bounce', 7]]);
    });
  });

  it('of another account is not touched by the sweep of an address', async () => {
    const stranger = await createKey(world);
    await add({ expires_at: LATER });
    await world.as(stranger).post('/suppressions').send({ email: ADA, expires_at: LATER }).expect(201);
    await pass();
    await add({}).expect(201);
    expect((await world.as(stranger).get(`/suppressions/${ADA}/history`)).body.data).toHaveLength(1);
  });

  it('is swept in batches, however many there are', async () => {
    const { name } = (await world.as(alice).get('/account')).body;
    await world.database.query(
      `INSERT INTO suppressions (account_id, id, email, cause, created_at, expires_at)
      SELECT (SELECT id FROM accounts WHERE name = $1), uuid_v7(), 'n' || n || '@example.com', 'bounce', now(), now()
      FROM generate_series(1, 2500) AS n`,
      [name],
    );
    await sweep();
    const [{ left }] = (await world.database.query(
      'SELECT count(*)::integer AS left FROM suppressions WHERE expires_at <= now()',
    )) as [{ left: number }];
    expect(left).toBe(0);
  });
});
