import type { CheckedEmailDto } from '../../src/suppressions/dto/checked.dto.js';
import { cases } from '../support/cases.js';
import { createKey, createWorld, suppress, type World } from '../support/world.js';

let world: World;
beforeAll(async () => (world = await createWorld()));
afterAll(() => world.close());

describe('POST /suppressions/check', () => {
  const check = (emails: unknown) => world.as(world.alice).post('/suppressions/check').send({ emails });

  it('gives each address a verdict, in the order and the spelling of the request', async () => {
    const [id] = await suppress(world, world.alice, ['ada@example.com']);
    const record = await world.as(world.alice).get(`/suppressions/${id}`);
    const { body } = await check([
      'new@example.com',
      ' ADA@Example.com',
      'not an address',
      'ada@example.com',
    ]).expect(200);
    const decided_by = { type: 'suppression', id, cause: 'manual' };
    expect(body).toEqual({
      object: 'list',
      data: [
        { email: 'new@example.com', verdict: 'send', suppression: null, decided_by: null },
        { email: ' ADA@Example.com', verdict: 'suppressed', suppression: record.body, decided_by },
        { email: 'not an address', verdict: 'invalid', suppression: null, decided_by: null },
        { email: 'ada@example.com', verdict: 'suppressed', suppression: record.body, decided_by },
      ],
    });
  });

  it.each(['“ada@example.com”', 'ada@«example».com', '“ada@xn--com-9o0a'])(
    'does not take %s for another address, as a word processor quotes it',
    async (email) => {
      const { body } = await check([email]).expect(200);
      expect(body.data).toEqual([{ email, verdict: 'invalid', suppression: null, decided_by: null }]);
    },
  );

  it('replaces unpaired surrogates in what it repeats, which strict JSON parsers refuse', async () => {
    const { body } = await check(['\ud800@example.com']).expect(200);
    const email = '\ufffd@example.com';
    expect(body.data).toEqual([{ email, verdict: 'invalid', suppression: null, decided_by: null }]);
  });

  it.each([100, 101, 1000])('answers for %d addresses', async (count) => {
    const emails = Array.from({ length: count }, (_, index) => `größe-${index}-of-${count}@example.com`);
    const ids = await suppress(world, world.alice, emails.slice(1, 101));
    const { body } = await check(emails).expect(200);
    expect(body.object).toBe('list');
    const verdicts = body.data.map(({ email, verdict, suppression }: CheckedEmailDto) => [
      email,
      verdict,
      suppression?.id,
    ]);
    const listed = (email: string, index: number) => [email, 'suppressed', ids[index]];
    const unknown = (email: string) => [email, 'send', undefined];
    expect(verdicts).toEqual([
      unknown(emails[0]!),
      ...emails.slice(1, 101).map(listed),
      ...emails.slice(101).map(unknown),
    ]);
  });

  it.each([
    ['none', [], 'emails', 'must have at least 1 email address'],
    ['1001', Array(1001).fill('a@example.com'), 'emails', 'must have at most 1000 email addresses'],
    ['no array', 'a@example.com', 'emails', 'must be an array of 1 to 1000 email addresses'],
    ['what is no text', ['a@example.com', 7], 'emails[1]', 'must be a string'],
  ])('refuses %s', async (_what, emails, path, message) => {
    const { body } = await check(emails).expect(400);
    expect(body.errors).toEqual([{ path, message }]);
  });
});

const ADA = 'ada@eu.example.com';

describe('POST /suppressions/check, for topics and with rules', () => {
  let alice: string;
  let news: string;
  let letter: string;
  beforeEach(async () => {
    alice = await createKey(world);
    news = await createTopic('News', 'opt_in');
    letter = await createTopic('Letter', 'opt_out');
  });

  const createTopic = async (name: string, defaultSubscription: string): Promise<string> =>
    (
      await world
        .as(alice)
        .post('/topics')
        .send({ name, default_subscription: defaultSubscription })
        .expect(201)
    ).body.id;
  const choose = (subscription: string, topic = 'news', email = ADA) =>
    world
      .as(alice)
      .patch(`/contacts/${email}/topics`)
      .send([{ id: topic, subscription }])
      .expect(200);
  const putRule = async (pattern: string, effect: string, more: object = {}): Promise<string> =>
    (
      await world
        .as(alice)
        .post('/rules')
        .send({ pattern, effect, ...more })
    ).body.id;
  const check = async (body: object = {}, query: object = {}, apiKey = alice) =>
    (
      await world
        .as(apiKey)
        .post('/suppressions/check')
        .query(query)
        .send({ emails: [ADA], ...body })
        .expect(200)
    ).body.data[0];
  const decidedBy = async (body: object = {}) => (await check(body)).decided_by;

  it('stops the mail of a topic that the recipient opted out of, and no other mail', async () => {
    await choose('opt_out');
    expect(await check({ topic: 'news' })).toEqual({
      email: ADA,
      verdict: 'suppressed',
      suppression: null,
      decided_by: { type: 'preference', id: news, topic: news },
    });
    expect(await check()).toMatchObject({ verdict: 'send', decided_by: null });
    await choose('opt_in');
    expect(await check({ topic: news })).toMatchObject({ verdict: 'send', decided_by: null });
  });

  it('stops the mail of a topic that needs an opt-in, until there is one', async () => {
    expect(await check({ topic: 'letter' })).toMatchObject({
      verdict: 'suppressed',
      decided_by: { type: 'topic_default', id: letter, topic: letter },
    });
    await choose('opt_in', 'letter');
    expect(await check({ topic: 'letter' })).toMatchObject({ verdict: 'send', decided_by: null });
  });

  it('refuses a topic that does not exist, or is archived', async () => {
    await world.as(alice).delete('/topics/news').expect(200);
    for (const topic of ['news', news, 'nothing', '00000000-0000-7000-8000-000000000000']) {
      const { body } = await world
        .as(alice)
        .post('/suppressions/check')
        .send({ emails: [ADA], topic })
        .expect(404);
      expect(body).toMatchObject({ name: 'not_found', code: 'topic_not_found' });
    }
  });

  it.each([
    [{ topic: 7 }, {}, 'topic'],
    [{ topic: 'No Key' }, {}, 'topic'],
    [{}, { explain: 'maybe' }, 'explain'],
  ])('refuses %j with the query %j', async (body, query, path) => {
    const response = await world
      .as(alice)
      .post('/suppressions/check')
      .query(query)
      .send({ emails: [ADA], ...body })
      .expect(400);
    expect(response.body.errors).toEqual([{ path, message: expect.any(String) }]);
  });

  it.each(['example.com', '*.com', '"ada@home"@*'])(
    'blocks an address with a quoted @ by the rule %s',
    async (pattern) => {
      const id = await putRule(pattern, 'block');
      const emails = ['"ada@home"@example.com'];
      const { body } = await world.as(alice).post('/suppressions/check').send({ emails }).expect(200);
      expect(body.data).toMatchObject([{ verdict: 'suppressed', decided_by: { id } }]);
    },
  );

  it.each(['eu.example.com', '*.example.com', '*.com', 'ada@*', ADA])(
    'blocks by the rule %s',
    async (pattern) => {
      const id = await putRule(pattern, 'block');
      expect(await check()).toEqual({
        email: ADA,
        verdict: 'suppressed',
        suppression: null,
        decided_by: { type: 'rule', id, effect: 'block' },
      });
      await world.as(alice).get(`/suppressions/${ADA}`).expect(404);
      const [other] = (
        await world
          .as(alice)
          .post('/suppressions/check')
          .send({ emails: ['eve@example.org'] })
      ).body.data;
      expect(other).toMatchObject({ verdict: 'send', decided_by: null });
      await world.as(alice).delete(`/rules/${id}`).expect(200);
      expect(await decidedBy()).toBeNull();
    },
  );

  it('lets the most specific rule decide, and returns all matches', async () => {
    const [suppressionId] = await suppress(world, alice, [ADA]);
    const exact = await putRule(ADA, 'allow');
    const above = await putRule('*.example.com', 'block');
    const domain = await putRule('eu.example.com', 'allow');
    await choose('opt_out');
    const explained = await check({ topic: 'news' }, { explain: true });
    expect(explained.matches).toEqual([
      { type: 'preference', id: news, topic: news },
      { type: 'suppression', id: suppressionId, cause: 'manual' },
      { type: 'rule', id: exact, effect: 'allow' },
      { type: 'rule', id: domain, effect: 'allow' },
      { type: 'rule', id: above, effect: 'block' },
    ]);
    expect(explained.decided_by).toEqual(explained.matches[0]);
    await world.as(alice).delete(`/suppressions/${ADA}`).expect(200);
    expect(await check()).toMatchObject({ verdict: 'send', decided_by: { id: exact, effect: 'allow' } });
    expect(await check()).not.toHaveProperty('matches');
    await world.as(alice).delete(`/rules/${exact}`).expect(200);
    expect(await decidedBy()).toMatchObject({ id: domain });
    await world.as(alice).delete(`/rules/${domain}`).expect(200);
    expect(await decidedBy()).toMatchObject({ id: above });
  });

  it('allows what bounced, and not what was added by hand', async () => {
    const [id] = await suppress(world, alice, [ADA]);
    const rule = await putRule('eu.example.com', 'allow');
    expect(await decidedBy()).toEqual({ type: 'suppression', id, cause: 'manual' });
    await world.database.query(`UPDATE suppressions SET cause = 'bounce' WHERE id = $1`, [id]);
    expect(await check()).toMatchObject({ verdict: 'send', suppression: null, decided_by: { id: rule } });
  });

  it('counts a rule of a topic for that topic only', async () => {
    const id = await putRule('eu.example.com', 'block', { topic: 'news' });
    expect(await decidedBy()).toBeNull();
    expect(await decidedBy({ topic: 'news' })).toEqual({ type: 'rule', id, effect: 'block', topic: news });
    await choose('opt_in', 'letter');
    expect(await decidedBy({ topic: 'letter' })).toBeNull();
  });

  it('does not count an expired rule', async () => {
    const id = await putRule('eu.example.com', 'block', { expires_at: '2999-01-01' });
    expect(await decidedBy()).toMatchObject({ id });
    await world.database.query('UPDATE rules SET expires_at = now() WHERE id = $1', [id]);
    expect(await decidedBy()).toBeNull();
  });

  it('answers for 1,000 addresses, each with its reason', async () => {
    const emails = Array.from({ length: 1000 }, (_, index) => `user-${index}@host-${index % 50}.example.net`);
    const [id] = await suppress(world, alice, [emails[0]!]);
    const rule = await putRule('host-1.example.net', 'block');
    await choose('opt_out', 'news', emails[2]);
    const { body } = await world
      .as(alice)
      .post('/suppressions/check')
      .send({ emails, topic: 'news' })
      .expect(200);
    const reasons = body.data.map((element: { decided_by: { id: string } | null }) => element.decided_by?.id);
    expect(body.data.map(({ email }: { email: string }) => email)).toEqual(emails);
    expect(reasons).toEqual(
      emails.map((_email, index) =>
        index === 0 ? id : index % 50 === 1 ? rule : index === 2 ? news : undefined,
      ),
    );
  });

  it('knows nothing of the topics, choices and rules of another account', async () => {
    await putRule('eu.example.com', 'block');
    await choose('opt_out');
    const stranger = await createKey(world);
    expect(await check({}, {}, stranger)).toMatchObject({ verdict: 'send', decided_by: null });
    for (const topic of ['news', news]) {
      await world
        .as(stranger)
        .post('/suppressions/check')
        .send({ emails: [ADA], topic })
        .expect(404);
    }
    await world
      .as(stranger)
      .post('/topics')
      .send({ name: 'News', default_subscription: 'opt_in' })
      .expect(201);
    expect(await check({ topic: 'news' }, {}, stranger)).toMatchObject({ verdict: 'send', decided_by: null });
  });

  it('sees every change of a rule or topic made before it began, even while other checks run', async () => {
    const over = new AbortController();
    const checkers = Array.from({ length: 4 }, async () => {
      while (!over.signal.aborted) {
        await check({ topic: 'letter' });
      }
    });
    for (let round = 0; round < cases(8, 20); round++) {
      const effect = round % 2 ? 'allow' : 'block';
      const id = await putRule(ADA, effect);
      await choose('opt_in', 'letter');
      expect(await decidedBy({ topic: 'letter' })).toMatchObject({ id, effect });
      await choose('opt_out', 'letter');
      expect(await decidedBy({ topic: 'letter' })).toMatchObject({ type: 'preference' });
    }
    over.abort();
    await Promise.all(checkers);
  });
});
