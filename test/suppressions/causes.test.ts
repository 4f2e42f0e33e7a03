import { randomUUID } from 'node:crypto';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { transactionBefore } from '../../src/database/transaction.js';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import type { Cause } from '../../src/ledger/cause.js';
import type { ChangeActor } from '../../src/ledger/evidence.js';
import type { Addition } from '../../src/suppressions/additions/additions.repository.js';
import { AdditionsService } from '../../src/suppressions/additions/additions.service.js';
import { ExpirySweep } from '../../src/suppressions/expiry-sweep.js';
import { createKey, createWorld, suppress, type World } from '../support/world.js';

const MAIL = '5e2ff6b2-5a43-4b10-a9b0-6f2e6d4c0a11';

const OTHER_MAIL = '7d1f64a3-9c0e-4f3a-8a58-0a1b2c3d4e5f';

let world: World;
beforeAll(async () => (world = await createWorld()));
afterAll(() => world.close());

describe('the causes of a suppression', () => {
  let alice: string;
  beforeEach(async () => (alice = await createKey(world)));

  const report = async (type: string, email: string, sourceId: string | null = null) => {
    const { body } = await world
      .as(alice)
      .post('/events')
      .send({ type, email, ...(sourceId && { source_id: sourceId }), status: '5.1.1' })
      .expect(200);
    return body.data[0];
  };
  const get = async (ref: string, query: object = {}) =>
    (await world.as(alice).get(`/suppressions/${ref}`).query(query).expect(200)).body;
  const causesOf = async (ref: string): Promise<string[]> =>
    (await get(ref, { include: 'causes' })).causes.map(({ cause }: { cause: string }) => cause);
  const remove = (ref: string, query: object = {}) =>
    world.as(alice).delete(`/suppressions/${ref}`).query(query);
  const historyOf = async (ref: string): Promise<string[]> =>
    (await world.as(alice).get(`/suppressions/${ref}/history?limit=100`)).body.data.map(
      ({ action, cause }: Record<string, string>) => `${action} ${cause}`,
    );

  it('are all kept, whatever comes first; the strongest is shown', async () => {
    for (const [index, types] of [
      ['bounce', 'unsubscribe', 'complaint'],
      ['complaint', 'unsubscribe', 'bounce'],
      ['unsubscribe', 'bounce', 'complaint'],
    ].entries()) {
      const email = `all-${index}@example.com`;
      for (const type of types) {
        await report(type, email, MAIL);
      }
      await suppress(world, alice, [email]);
      expect(await causesOf(email)).toEqual(['complaint', 'unsubscribe', 'manual', 'bounce']);
      expect(await get(email)).toMatchObject({ origin: 'complaint', source_id: MAIL });
    }
  });

  it('that are weaker are in the ledger, once, and in the response to the event', async () => {
    const [id] = await suppress(world, alice, ['late@example.com']);
    const first = await report('bounce', 'late@example.com', MAIL);
    expect(first).toMatchObject({ outcome: 'cause_added', suppression_id: id });
    expect(await report('bounce', 'late@example.com', OTHER_MAIL)).toMatchObject({ outcome: 'nothing' });
    expect(await historyOf('late@example.com')).toEqual(['cause_added bounce', 'added manual']);
    expect(await get('late@example.com')).toMatchObject({ id, origin: 'manual', source_id: null });
  });

  it('that are added by hand to a stronger one are kept too', async () => {
    await report('unsubscribe', 'left@example.com', MAIL);
    const response = await world
      .as(alice)
      .post('/suppressions')
      .send({ email: 'left@example.com', note: 'Asked' });
    expect(response.status).toBe(200);
    await world.as(alice).post('/suppressions').send({ email: 'left@example.com' }).expect(200);
    expect(await historyOf('left@example.com')).toEqual(['cause_added manual', 'added unsubscribe']);
  });

  it('are shown on request, each with its email id, timestamp and note', async () => {
    await report('bounce', 'shown@example.com', MAIL);
    await report('complaint', 'shown@example.com', OTHER_MAIL);
    await world
      .as(alice)
      .post('/suppressions')
      .send({ email: 'shown@example.com', note: 'Asked on the phone' });
    const since = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    const { causes, ...record } = await get('shown@example.com', { include: 'causes' });
    expect(record).toEqual(await get('shown@example.com'));
    expect(causes).toEqual([
      { cause: 'complaint', source_id: OTHER_MAIL, since, expires_at: null, note: expect.any(String) },
      { cause: 'manual', source_id: null, since, expires_at: null, note: 'Asked on the phone' },
      { cause: 'bounce', source_id: MAIL, since, expires_at: null, note: expect.stringContaining('5.1.1') },
    ]);
    await world.as(alice).get('/suppressions/shown@example.com').query({ include: 'all' }).expect(400);
  });

  it('are lifted one by one; the strongest that remains is shown, with its email id', async () => {
    await report('bounce', 'lift@example.com', MAIL);
    await report('unsubscribe', 'lift@example.com', OTHER_MAIL);
    await report('complaint', 'lift@example.com');
    const { id } = await get('lift@example.com');
    const first = await remove('lift@example.com', { cause: 'unsubscribe' }).expect(200);
    expect(first.body).toEqual({ object: 'suppression', id, deleted: false });
    expect(await get(id)).toMatchObject({ origin: 'complaint', source_id: null });
    await remove(id, { cause: 'complaint' }).expect(200);
    expect(await get(id)).toMatchObject({ origin: 'bounce', source_id: MAIL });
    const again = await remove(id, { cause: 'complaint' }).expect(404);
    expect(again.body).toMatchObject({ name: 'not_found', code: 'cause_not_found' });
    const last = await remove(id, { cause: 'bounce' }).expect(200);
    expect(last.body).toEqual({ object: 'suppression', id, deleted: true });
    await world.as(alice).get(`/suppressions/${id}`).expect(404);
    expect((await historyOf('lift@example.com')).slice(0, 3)).toEqual([
      'removed bounce',
      'cause_removed complaint',
      'cause_removed unsubscribe',
    ]);
  });

  it('are all lifted by a removal without a cause', async () => {
    await report('bounce', 'whole@example.com');
    await report('complaint', 'whole@example.com');
    const { body } = await remove('whole@example.com').expect(200);
    expect(body.deleted).toBe(true);
    await world.as(alice).get('/suppressions/whole@example.com').expect(404);
    const [id] = await suppress(world, alice, ['whole@example.com']);
    expect(await causesOf(id!)).toEqual(['manual']);
  });

  it('are lifted in a batch, by address and by id; those without the cause are left out', async () => {
    await report('bounce', 'b1@example.com');
    await report('bounce', 'b2@example.com');
    await report('complaint', 'b2@example.com');
    await report('complaint', 'b3@example.com');
    const ids = await Promise.all(
      ['b1', 'b2', 'b3'].map(async (name) => (await get(`${name}@example.com`)).id as string),
    );
    const batchRemove = async (body: object) =>
      (await world.as(alice).post('/suppressions/batch/remove').send(body).expect(200)).body.data;
    const emails = ['b1@example.com', 'b2@example.com', 'b3@example.com', 'nobody@example.com'];
    expect(await batchRemove({ emails, cause: 'bounce' })).toEqual([
      { object: 'suppression', id: ids[0], deleted: true },
      { object: 'suppression', id: ids[1], deleted: false },
    ]);
    expect(await batchRemove({ ids, cause: 'complaint' })).toEqual([
      { object: 'suppression', id: ids[1], deleted: true },
      { object: 'suppression', id: ids[2], deleted: true },
    ]);
  });

  it('that do not exist are refused', async () => {
    await suppress(world, alice, ['ada@example.com']);
    await remove('ada@example.com', { cause: 'hard' }).expect(400);
    await world
      .as(alice)
      .post('/suppressions/batch/remove')
      .send({ emails: ['ada@example.com'], cause: 'hard' })
      .expect(400);
    await get('ada@example.com');
  });

  it.each(['cause', 'causes', 'origin', 'type'])(
    'are not all removed if the body names one as %s',
    async (field) => {
      await suppress(world, alice, ['ada@example.com']);
      const response = await world
        .as(alice)
        .delete('/suppressions/ada@example.com')
        .send({ [field]: 'bounce' })
        .expect(400);
      expect(response.body.errors).toMatchObject([{ path: field }]);
      await get('ada@example.com');
    },
  );

  it.each(['causes', 'origin', 'type'])(
    'are not all removed by a batch that names one as %s',
    async (field) => {
      await suppress(world, alice, ['ada@example.com']);
      const body = { emails: ['ada@example.com'], [field]: 'bounce' };
      const response = await world.as(alice).post('/suppressions/batch/remove').send(body).expect(400);
      expect(response.body.errors).toMatchObject([{ path: field }]);
      await get('ada@example.com');
    },
  );

  it('of another account are neither shown nor lifted', async () => {
    await report('bounce', 'mine@example.com');
    const { id } = await get('mine@example.com');
    const bob = await createKey(world);
    for (const ref of [id, 'mine@example.com']) {
      await world.as(bob).get(`/suppressions/${ref}`).query({ include: 'causes' }).expect(404);
      await world.as(bob).delete(`/suppressions/${ref}`).query({ cause: 'bounce' }).expect(404);
    }
    const batch = await world
      .as(bob)
      .post('/suppressions/batch/remove')
      .send({ ids: [id], cause: 'bounce' });
    expect(batch.body.data).toEqual([]);
    expect(await causesOf(id)).toEqual(['bounce']);
  });

  it('agree with the ledger after eight writers added and lifted them at once', async () => {
    const email = 'race@example.com';
    const types = ['bounce', 'unsubscribe', 'complaint'];
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let step = 0; step < 12; step++) {
          const type = types[(writer + step) % 3]!;
          if ((writer + step) % 4 === 0) {
            await remove(email, { cause: type });
          } else if (writer === 7 && step % 5 === 0) {
            await remove(email);
          } else if (step % 5 === 0) {
            await suppress(world, alice, [email]);
          } else {
            await report(type, email);
          }
        }
      }),
    );
    await suppress(world, alice, [email]);
    const replayed = new Set<string>();
    for (const line of (await historyOf(email)).toReversed()) {
      const [action, cause] = line.split(' ') as [string, string];
      if (action === 'removed') {
        replayed.clear();
      } else if (action === 'cause_removed') {
        expect(replayed.delete(cause)).toBe(true);
      } else {
        expect(replayed.has(cause)).toBe(false);
        replayed.add(cause);
      }
    }
    expect((await causesOf(email)).toSorted()).toEqual([...replayed].toSorted());
  });
});

describe('a check for transactional mail', () => {
  let alice: string;
  beforeEach(async () => (alice = await createKey(world)));

  const report = (type: string, email: string) =>
    world.as(alice).post('/events').send({ type, email, status: '5.1.1' }).expect(200);
  const check = (body: object, apiKey = alice) =>
    world
      .as(apiKey)
      .post('/suppressions/check')
      .send({ emails: ['ada@example.com'], ...body });
  const verdict = async (body: object) => (await check(body).expect(200)).body.data[0];

  it('passes an unsubscribe and opt-outs', async () => {
    await report('unsubscribe', 'ada@example.com');
    await world.as(alice).post('/topics').send({ name: 'News', default_subscription: 'opt_out' }).expect(201);
    expect(await verdict({ transactional: true })).toEqual({
      email: 'ada@example.com',
      verdict: 'send',
      suppression: null,
      decided_by: null,
    });
    expect(await verdict({})).toMatchObject({ verdict: 'suppressed', decided_by: { cause: 'unsubscribe' } });
    expect(await verdict({ transactional: false })).toMatchObject({ verdict: 'suppressed' });
    expect(await verdict({ topic: 'news' })).toMatchObject({ decided_by: { cause: 'unsubscribe' } });
  });

  it.each(['bounce', 'complaint'])('does not pass a %s', async (type) => {
    await report(type, 'ada@example.com');
    expect(await verdict({ transactional: true })).toMatchObject({
      verdict: 'suppressed',
      decided_by: { cause: type },
    });
  });

  it('passes a complaint as soon as the account says that complaints reach marketing alone', async () => {
    await report('complaint', 'ada@example.com');
    const settle = (reach: string) =>
      world.as(alice).patch('/account').send({ complaint_reach: reach }).expect(200);
    for (let round = 0; round < 3; round++) {
      await settle('marketing');
      expect(await verdict({ transactional: true })).toMatchObject({ verdict: 'send', decided_by: null });
      expect(await verdict({})).toMatchObject({ decided_by: { cause: 'complaint' } });
      await settle('all');
      expect(await verdict({ transactional: true })).toMatchObject({ decided_by: { cause: 'complaint' } });
    }
  });

  it('does not pass a bounce behind an unsubscribe; support lifts the bounce, and the unsubscribe stays', async () => {
    await report('bounce', 'ada@example.com');
    await report('unsubscribe', 'ada@example.com');
    expect(await verdict({ transactional: true })).toMatchObject({ decided_by: { cause: 'bounce' } });
    await world.as(alice).delete('/suppressions/ada@example.com?cause=bounce').expect(200);
    expect(await verdict({ transactional: true })).toMatchObject({ verdict: 'send' });
    expect(await verdict({})).toMatchObject({ decided_by: { cause: 'unsubscribe' } });
  });

  it('applies rules for all mail, but not those of a topic', async () => {
    await world.as(alice).post('/topics').send({ name: 'News', default_subscription: 'opt_in' }).expect(201);
    const put = (body: object) => world.as(alice).post('/rules').send(body).expect(201);
    await put({ pattern: 'example.com', effect: 'block', topic: 'news' });
    expect(await verdict({ transactional: true })).toMatchObject({ verdict: 'send' });
    await put({ pattern: 'example.com', effect: 'block' });
    expect(await verdict({ transactional: true })).toMatchObject({ decided_by: { type: 'rule' } });
  });

  it('needs the scope suppressions:check-transactional, or suppressions:write', async () => {
    const reader = await createKey(world, ['suppressions:read']);
    const { body } = await check({ transactional: true }, reader).expect(401);
    expect(body).toMatchObject({
      code: 'restricted_api_key',
      message: expect.stringContaining('transactional'),
    });
    await check({ transactional: false }, reader).expect(200);
    const both = await createKey(world, ['suppressions:read', 'suppressions:check-transactional']);
    await check({ transactional: true }, both).expect(200);
    const writer = await createKey(world, ['suppressions:write']);
    await check({ transactional: true }, writer).expect(200);
  });

  it('is refused together with a topic', async () => {
    const { body } = await check({ transactional: true, topic: 'news' }).expect(400);
    expect(body.errors).toMatchObject([{ path: 'transactional' }]);
    await check({ transactional: 'yes' }).expect(400);
  });
});

const ACME = 1;

const ACTOR: ChangeActor = { type: 'cli', id: null, name: 'import' };

const addition = (address: string, cause: Cause, more: Partial<Addition> = {}): Addition => ({
  email: address as EmailAddress,
  cause,
  emailId: null,
  occurredAt: null,
  eventId: null,
  expiresAt: null,
  note: null,
  ...more,
});

describe('AdditionsService.suppress', () => {
  let service: AdditionsService;
  let dataSource: DataSource;
  beforeAll(async () => {
    service = world.app.get(AdditionsService);
    dataSource = world.app.get<DataSource>(getDataSourceToken());
  });

  const soon = () => performance.now() + 20_000;
  const inTransaction = <Result>(work: (transaction: EntityManager) => Promise<Result>) =>
    transactionBefore(dataSource, { deadline: soon() }, work);
  const get = (address: string) => world.as(world.alice).get(`/suppressions/${address}`);
  const history = async (address: string) =>
    (await world.as(world.alice).get(`/suppressions/${address}/history`).expect(200)).body.data;

  it('keeps the cause, the email, the event, the timestamp and the note of each address', async () => {
    const [emailId, eventId] = [randomUUID(), randomUUID()];
    const occurredAt = new Date('2024-05-06T07:08:09.123Z');
    const additions = [
      addition('complained@example.com', 'complaint', { emailId, eventId, occurredAt, note: 'line\t1' }),
      addition('bounced@example.com', 'bounce', { note: 'line 2' }),
    ];
    const suppressed = await service.suppress({ accountId: ACME, actor: ACTOR }, additions, {
      deadline: soon(),
    });
    expect((await get('complained@example.com').expect(200)).body).toMatchObject({
      id: suppressed.get('complained@example.com' as EmailAddress)!.id,
      origin: 'complaint',
      source_id: emailId,
    });
    expect(await history('complained@example.com')).toMatchObject([
      {
        action: 'added',
        cause: 'complaint',
        source_id: emailId,
        event_id: eventId,
        occurred_at: occurredAt.toISOString(),
        actor: { type: 'cli', id: null, name: 'import' },
        note: 'line\t1',
      },
    ]);
    expect(await history('bounced@example.com')).toMatchObject([{ cause: 'bounce', note: 'line 2' }]);
  });

  it('keeps every cause, and changes nothing when it is repeated', async () => {
    const actions = async (cause: Cause) => {
      const additions = [addition('stronger@example.com', cause)];
      const suppressed = await service.suppress({ accountId: ACME, actor: ACTOR }, additions, {
        deadline: soon(),
      });
      return [...suppressed.values()].map(({ action }) => action);
    };
    expect(await actions('bounce')).toEqual(['added']);
    expect(await actions('complaint')).toEqual(['strengthened']);
    expect(await actions('complaint')).toEqual([null]);
    expect(await actions('unsubscribe')).toEqual(['cause_added']);
    expect(await actions('unsubscribe')).toEqual([null]);
    expect(await actions('bounce')).toEqual([null]);
    expect((await get('stronger@example.com')).body.origin).toBe('complaint');
    expect(await history('stronger@example.com')).toHaveLength(3);
  });

  it('takes part in a transaction, and is rolled back with it', async () => {
    const work = inTransaction(async (transaction) => {
      await service.suppress(
        { accountId: ACME, actor: ACTOR },
        [addition('undone@example.com', 'bounce')],
        transaction,
      );
      throw new Error('The rest failed.');
    });
    await expect(work).rejects.toThrow('The rest failed.');
    await get('undone@example.com').expect(404);
    await inTransaction((transaction) =>
      service.suppress(
        { accountId: ACME, actor: ACTOR },
        [addition('done@example.com', 'bounce')],
        transaction,
      ),
    );
    await get('done@example.com').expect(200);
  });

  it('writes nothing after its deadline', async () => {
    const additions = [addition('too-late@example.com', 'bounce')];
    await expect(
      service.suppress({ accountId: ACME, actor: ACTOR }, additions, { deadline: performance.now() }),
    ).rejects.toThrow('deadline');
    await get('too-late@example.com').expect(404);
  });
});

const ADA = 'ada@example.com';
const EVE = 'eve@example.com';
const LATER = '2999-01-01T00:00:00.000Z';
const DAY_MS = 86_400_000;

describe('a suppression that expires', () => {
  let alice: string;
  beforeEach(async () => {
    alice = await createKey(world);
    await world.database.query('DELETE FROM suppressions');
  });

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

    it('is not removed while the clock of the database is ahead of that of the instance', async () => {
      await add({ expires_at: '2999-01-01' }).expect(201);
      await pass();
      const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 120_000);
      await sweep();
      clock.mockRestore();
      expect(await countRows()).toBe(1);
      await sweep();
      expect(await countRows()).toBe(0);
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
