import { cases } from '../support/cases.js';
import { createKey, createWorld, suppress, type World } from '../support/world.js';

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

  it('gives the answers at every cursor, however many changes came shortly before and after', async () => {
    const key = await createKey(world);
    const [email] = EMAILS as [string];
    const cursors: [string, string][] = [];
    for (let round = 0; round < 6; round++) {
      await suppress(world, key, [email, `other${round}@example.com`]);
      cursors.push([await cursorOf(key), 'suppressed']);
      await world.as(key).delete(`/suppressions/${email}`).expect(200);
      cursors.push([await cursorOf(key), 'send']);
    }
    for (const [cursor, verdict] of cursors) {
      const { body } = await check({ emails: [email], as_of: cursor }, key).expect(200);
      expect(body.data).toMatchObject([{ email, verdict }]);
    }
    expect((await check({ as_of: cursors[0]![0] }).expect(400)).body.errors).toMatchObject([
      { path: 'as_of' },
    ]);
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

  it.each([
    [
      'a time so recent that a change of it may not be committed',
      () => new Date(Date.now() - 5_000).toISOString(),
      /^must be at least 10 seconds ago, 20\S+Z or earlier, .*; leave it out to ask about now$/,
    ],
    ['the future', () => '2999-01-01T00:00:00Z', /^must be at least 10 seconds ago, 20\S+Z or earlier/],
    ['a time before 1970', () => '1969-12-31T00:00:00Z', /^must be in 1970 or later$/],
    ['a day that does not exist', () => '2026-02-30', /^must be on a day that exists$/],
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
