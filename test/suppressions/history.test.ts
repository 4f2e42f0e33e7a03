import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { transactionBefore } from '../../src/database/transaction.js';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { CAUSES } from '../../src/ledger/cause.js';
import { RemovalsRepository } from '../../src/suppressions/removals.repository.js';
import { cases } from '../support/cases.js';
import { operationsOf, readOpenApiDocument } from '../support/openapi-document.js';
import { createSource, postWithCredential, sparkpostBatch, type TestSource } from '../support/sources.js';
import { createKey, createWorld, setCause, suppress, type World } from '../support/world.js';

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

const DAY_MS = 24 * 60 * 60 * 1000;

const STEPS = cases(60, 120);

const EMAILS = Array.from({ length: 12 }, (_, index) => `p${index}@d${index % 3}.example.com`);

const EVENT_TYPES = ['bounce', 'unsubscribe', 'complaint'];

const PURPOSES = [{}, { topic: 'news' }, { topic: 'offers' }, { transactional: true }];

/** Reproducible: mulberry32. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe('POST /suppressions/check with as_of', () => {
  let world: World;
  let alice: string;
  beforeAll(async () => {
    world = await createWorld();
    alice = await createKey(world);
  });
  afterAll(() => world.close());

  const check = (body: object, key = alice) =>
    world
      .as(key)
      .post('/suppressions/check')
      .query({ explain: true })
      .send({ emails: EMAILS, ...body });

  /** What the service answers for every purpose. */
  async function answers(asOf: object = {}): Promise<string[]> {
    const responses = await Promise.all(PURPOSES.map((purpose) => check({ ...purpose, ...asOf })));
    return responses.map(({ body }) => JSON.stringify(body));
  }

  it('gives the answers of every second of a simulated day', async () => {
    const next = random(16);
    const pick = <Element>(from: readonly Element[]): Element => from[Math.floor(next() * from.length)]!;
    const as = world.as(alice);
    const steps: (() => PromiseLike<unknown>)[] = [
      () => as.post('/suppressions').send({ email: pick(EMAILS) }),
      () => suppress(world, alice, [pick(EMAILS), pick(EMAILS)]),
      () => as.delete(`/suppressions/${pick(EMAILS)}`),
      () => as.delete(`/suppressions/${pick(EMAILS)}`).query({ cause: pick([...EVENT_TYPES, 'manual']) }),
      () =>
        as
          .post('/events')
          .send([1, 2, 3].map(() => ({ type: pick(EVENT_TYPES), email: pick(EMAILS), status: '5.1.1' }))),
      () =>
        as
          .patch(`/contacts/${pick(EMAILS)}/topics`)
          .send([{ id: pick(['news', 'offers']), subscription: pick(['opt_in', 'opt_out']) }]),
      () =>
        as.post('/rules').send({
          pattern: pick(['*.example.com', 'd1.example.com', 'p2@*', EMAILS[3]!]),
          effect: pick(['allow', 'block']),
          topic: pick([null, 'news']),
        }),
      () => as.delete(`/rules/${encodeURIComponent(pick(['*.example.com', 'd1.example.com', 'p2@*']))}`),
    ];
    await as.post('/topics').send({ name: 'News', default_subscription: 'opt_in' }).expect(201);
    await as.post('/topics').send({ name: 'Offers', default_subscription: 'opt_out' }).expect(201);

    const history: { answers: string[]; revision: string; rule: string }[] = [];
    for (let step = 0; step < STEPS; step++) {
      await pick(steps)();
      const [last] = await world.database.query<{ revision: string; rule: string }>(
        `SELECT coalesce((SELECT max(revision) FROM suppression_changes), 0) AS revision,
          (SELECT coalesce(max(id::text), '') FROM rule_changes) AS rule`,
      );
      history.push({ answers: await answers(), ...last! });
    }
    expect(new Set(history.map((moment) => moment.answers.join())).size).toBeGreaterThan(STEPS / 3);

    const start = Date.now() - 2 * DAY_MS;
    const seconds = history.map(() => Math.floor(next() * (DAY_MS / 1000))).toSorted((a, b) => a - b);
    await spreadOver(start, seconds, history);
    for (const [step, { answers: expected }] of history.entries()) {
      const at = (second: number) => ({ as_of: new Date(start + second * 1000).toISOString() });
      const isLastOfSecond = seconds[step] !== seconds[step + 1];
      if (isLastOfSecond) {
        expect(await answers(at(seconds[step]!))).toEqual(expected);
        expect(await answers(at((seconds[step + 1] ?? DAY_MS / 1000) - 1))).toEqual(expected);
      }
    }
  }, 120_000);

  /** Moves what happened in each step to its second of a day. */
  async function spreadOver(
    start: number,
    seconds: number[],
    history: { revision: string; rule: string }[],
  ): Promise<void> {
    await world.database.query('ALTER TABLE suppression_changes DISABLE TRIGGER ALL');
    await world.database.query('UPDATE topics SET created_at = $1', [new Date(start)]);
    let previous = { revision: '0', rule: '' };
    for (const [step, { revision, rule }] of history.entries()) {
      const at = new Date(start + seconds[step]! * 1000);
      await world.database.query(
        'UPDATE suppression_changes SET created_at = $1 WHERE revision > $2 AND revision <= $3',
        [at, previous.revision, revision],
      );
      await world.database.query(
        'UPDATE rule_changes SET created_at = $1 WHERE id::text > $2 AND id::text <= $3',
        [at, previous.rule, rule],
      );
      previous = { revision, rule };
    }
    await world.database.query('ALTER TABLE suppression_changes ENABLE TRIGGER ALL');
  }

  it('gives the answers at every cursor, however many changes have nearly its time', async () => {
    const key = await createKey(world);
    const [email] = EMAILS as [string];
    for (let round = 0; round < 6; round++) {
      await suppress(world, key, [email, `other${round}@example.com`]);
      await world.as(key).delete(`/suppressions/${email}`).expect(200);
      if (round % 2 === 0) {
        await cursorOf(key);
      }
    }
    await world.database.query('ALTER TABLE suppression_changes DISABLE TRIGGER ALL');
    await world.database.query(
      `UPDATE suppression_changes
      SET created_at = now() - revision * interval '1 millisecond'
      WHERE account_id = (SELECT account_id FROM suppressions WHERE email = 'other0@example.com')`,
    );
    await world.database.query('ALTER TABLE suppression_changes ENABLE TRIGGER ALL');
    const cursors: [string, string][] = [];
    for (let position = 1; position <= 18; position++) {
      const page = { after: cursors.at(-1)?.[0], limit: 1 };
      const { body } = await world.as(key).get('/changes').query(page).expect(200);
      cursors.push([body.cursor, position % 3 === 2 ? 'suppressed' : 'send']);
    }
    for (const [cursor, verdict] of cursors) {
      const { body } = await check({ emails: [email], as_of: cursor }, key).expect(200);
      expect(body.data).toMatchObject([{ email, verdict }]);
    }
    expect((await check({ as_of: cursors[0]![0] }).expect(400)).body.errors).toMatchObject([
      { path: 'as_of' },
    ]);
  });

  it('refuses a cursor whose last change is gone, as documented', async () => {
    const key = await createKey(world);
    await suppress(world, key, ['gone@example.com']);
    const bytes = Buffer.from(await cursorOf(key), 'base64url');
    bytes[bytes.length - 1]! ^= 1;
    const { body } = await check({ as_of: bytes.toString('base64url') }, key).expect(410);
    expect(body.code).toBe('changes_cursor_gone');
    const documented = operationsOf(readOpenApiDocument()).find(({ path }) => path === '/suppressions/check');
    expect(documented!.responses).toHaveProperty('410');
  });

  async function cursorOf(key: string): Promise<string> {
    return (await world.as(key).get('/changes').query({ from: 'now' }).expect(200)).body.cursor;
  }

  it('uses the settings of that time', async () => {
    const key = await createKey(world);
    const email = 'settings@example.com';
    await world.as(key).post('/events').send({ type: 'complaint', email }).expect(200);
    for (const complaint_reach of ['marketing', 'all']) {
      await world.as(key).patch('/account').send({ complaint_reach }).expect(200);
    }
    const [account] = await world.database.query<{ id: number }>(
      'SELECT account_id AS id FROM suppressions WHERE email = $1',
      [email],
    );
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    await world.database.query('ALTER TABLE suppression_changes DISABLE TRIGGER ALL');
    await world.database.query('UPDATE suppression_changes SET created_at = $1 WHERE account_id = $2', [
      hoursAgo(6),
      account!.id,
    ]);
    await world.database.query('ALTER TABLE suppression_changes ENABLE TRIGGER ALL');
    for (const [reach, hours] of [
      ['all', 4],
      ['marketing', 2],
    ]) {
      await world.database.query(
        'UPDATE past_account_settings SET valid_until = $1 WHERE account_id = $2 AND complaint_reach = $3',
        [hoursAgo(Number(hours)), account!.id, reach],
      );
    }
    const verdictAt = async (as_of?: string) =>
      (await check({ emails: [email], transactional: true, as_of }, key).expect(200)).body.data[0].verdict;
    expect([
      await verdictAt(hoursAgo(5)),
      await verdictAt(hoursAgo(3)),
      await verdictAt(hoursAgo(1)),
      await verdictAt(),
    ]).toEqual(['suppressed', 'send', 'suppressed', 'suppressed']);
  });

  it('knows a topic until it was archived, and a rule until it expired', async () => {
    const key = await createKey(world);
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    await world.as(key).post('/topics').send({ name: 'Past', default_subscription: 'opt_in' }).expect(201);
    await world.as(key).delete('/topics/past').expect(200);
    const rule = { pattern: 'past.example', effect: 'block', expires_at: '2999-01-01T00:00:00Z' };
    await world.as(key).post('/rules').send(rule).expect(201);
    const times = [hoursAgo(3), hoursAgo(1)];
    await world.database.query(
      `UPDATE topics SET created_at = $1, archived_at = $2 WHERE key = 'past'`,
      times,
    );
    await world.database.query(
      `UPDATE rule_changes SET created_at = $1, expires_at = $2 WHERE pattern = 'past.example'`,
      times,
    );
    const checkAt = (as_of: string) => check({ emails: ['ada@past.example'], topic: 'past', as_of }, key);
    const { body } = await checkAt(hoursAgo(2)).expect(200);
    expect(body.data).toMatchObject([{ verdict: 'suppressed', decided_by: { effect: 'block' } }]);
    await checkAt(hoursAgo(0.5)).expect(404);
    const later = await check({ emails: ['ada@past.example'], as_of: hoursAgo(0.5) }, key).expect(200);
    expect(later.body.data).toMatchObject([{ verdict: 'send' }]);
  });

  it.each([
    [
      'a time so recent that a change of it may not be committed',
      () => new Date(Date.now() - 5_000).toISOString(),
      /^must be at least 10 seconds ago, 20\S+Z or earlier, .*; leave it out to ask about now$/,
    ],
    ['the future', () => '2999-01-01T00:00:00Z', /^must be at least 10 seconds ago, 20\S+Z or earlier/],
    ['a time before 1970', () => '1969-12-31T00:00:00Z', /^must be in 1970 or later$/],
    ['a day that does not exist', () => '2026-02-30', /^must be a date that exists$/],
    ['a time without an offset', () => '2026-01-15T09:30:00', /with its offset: 2026-01-15T09:30:00Z$/],
    ['anything else', () => 'yesterday', /^must be a timestamp such as 2026-01-15T09:30:00Z, or a cursor/],
  ])('refuses %s, and says what to send', async (_what, asOf, message) => {
    const { body } = await check({ as_of: asOf() }).expect(400);
    expect(body.errors).toEqual([{ path: 'as_of', message: expect.stringMatching(message) }]);
  });

  it('knows nothing about another account, and no topic that did not exist then', async () => {
    const { body } = await check({ as_of: new Date(Date.now() - 60_000).toISOString() }, world.charlie);
    expect(body.data.every(({ verdict }: { verdict: string }) => verdict === 'send')).toBe(true);
    await check({ topic: 'news', as_of: '2020-01-01T00:00:00Z' }).expect(404);
  });
});

const ACME = 1;

const ACTOR = { type: 'cli', id: null, name: 'test' } as const;

describe('the revisions of an address', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const history = async (address: string, query: object = {}) => {
    const { body } = await world
      .as(world.alice)
      .get(`/suppressions/${address}/history`)
      .query(query)
      .expect(200);
    return body.data as { id: string; action: string }[];
  };
  it('rise with its changes, even if one has to wait for another', async () => {
    const [id] = await suppress(world, world.alice, ['waiting@example.com']);
    await setCause(world, id!, 'bounce', null);
    const dataSource = world.app.get<DataSource>(getDataSourceToken());
    const emails = ['waiting@example.com' as EmailAddress];
    const { adding } = await transactionBefore(
      dataSource,
      { deadline: performance.now() + 20_000 },
      async (transaction) => {
        await world.app
          .get(RemovalsRepository)
          .lift(
            { accountId: ACME, actor: ACTOR },
            { emails },
            { cause: null, note: null, liftable: CAUSES },
            transaction,
          );
        // Two that would strengthen the record, and wait for its removal.
        const waiting = Promise.all([1, 2].map(() => suppress(world, world.alice, emails)));
        await world.database.untilWaiting(2);
        return { adding: waiting };
      },
    );
    const [[first], [second]] = (await adding) as [string[], string[]];
    expect(first).toBe(second);
    expect((await history('waiting@example.com')).map(({ action }) => action)).toEqual([
      'added',
      'removed',
      'added',
    ]);
  });

  describe('while the database clock goes back', () => {
    let source: TestSource;
    beforeAll(async () => {
      source = await createSource(world, 'sparkpost', {
        options: { softLimit: { failures: 2, days: 7 } },
      });
      await world.database.query('CREATE SEQUENCE clock_steps');
      await world.database.query(`
        CREATE FUNCTION backward_clock() RETURNS timestamptz LANGUAGE sql VOLATILE
        AS $$ SELECT clock_timestamp() - nextval('clock_steps') * interval '1 minute' $$`);
      const functions = await world.database.query<{ definition: string }>(
        `SELECT pg_get_functiondef(oid) AS definition FROM pg_proc WHERE proname IN ('uuid_v7', 'uuid_v7_from')`,
      );
      for (const { definition } of functions) {
        await world.database.query(definition.replace('clock_timestamp()', 'backward_clock()'));
      }
      await world.database.query(
        'ALTER TABLE suppression_changes ALTER COLUMN created_at SET DEFAULT backward_clock()',
      );
    });

    it('give the history its order, page by page', async () => {
      const expected: string[] = [];
      for (let round = 0; round < 3; round++) {
        await suppress(world, world.alice, ['back@example.com']);
        await world.as(world.alice).delete('/suppressions/back@example.com').expect(200);
        expected.unshift('removed', 'added');
      }
      const whole = await history('back@example.com');
      expect(whole.map(({ action }) => action)).toEqual(expected);
      expect(whole.map(({ id }) => id)).toEqual(whole.map(({ id }) => id).sort());
      const first = await history('back@example.com', { limit: 4 });
      const second = await history('back@example.com', { limit: 4, after: first[3]!.id });
      expect([...first, ...second]).toEqual(whole);
    });

    it('keep failures from before a removal out of the soft limit', async () => {
      const fail = async () => {
        const deferral = { type: 'bounce', bounce_class: '22', raw_rcpt_to: 'soft@example.com' };
        const { status } = await postWithCredential(world, source, sparkpostBatch([deferral]));
        expect(status).toBe(200);
      };
      const get = () => world.as(world.alice).get('/suppressions/soft@example.com');
      await fail();
      await fail();
      await get().expect(200);
      await world.as(world.alice).delete('/suppressions/soft@example.com').expect(200);
      await fail();
      await get().expect(404);
      await fail();
      await get().expect(200);
    });
  });
});
