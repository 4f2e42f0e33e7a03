import { randomUUID } from 'node:crypto';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { transactionBefore } from '../../src/database/transaction.js';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import type { Cause } from '../../src/ledger/cause.js';
import type { ChangeActor } from '../../src/ledger/evidence.js';
import type { Addition } from '../../src/suppressions/additions/additions.repository.js';
import { AdditionsService } from '../../src/suppressions/additions/additions.service.js';
import { createKey, createWorld, suppress, type World } from '../support/world.js';

const MAIL = '5e2ff6b2-5a43-4b10-a9b0-6f2e6d4c0a11';

const OTHER_MAIL = '7d1f64a3-9c0e-4f3a-8a58-0a1b2c3d4e5f';

describe('the causes of a suppression', () => {
  let world: World;
  let alice: string;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(async () => (alice = await createKey(world)));
  afterAll(() => world.close());

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
  let world: World;
  let alice: string;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(async () => (alice = await createKey(world)));
  afterAll(() => world.close());

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
  let world: World;
  let service: AdditionsService;
  let dataSource: DataSource;
  beforeAll(async () => {
    world = await createWorld();
    service = world.app.get(AdditionsService);
    dataSource = world.app.get<DataSource>(getDataSourceToken());
  });
  afterAll(() => world.close());

  const soon = () => performance.now() + 20_000;
  const inTransaction = <Result>(work: (transaction: EntityManager) => Promise<Result>) =>
    transactionBefore(dataSource, soon(), work);
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
