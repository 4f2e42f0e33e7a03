import { createTopic, historyOf, PUBLIC_URL, verdictOn } from '../support/recipients.js';
import { createKey, createWorld, type World } from '../support/world.js';

const INCLUDE = { include: ['unsubscribe'] };

describe('POST /suppressions/check with unsubscribe links', () => {
  let world: World;
  let alice: string;
  beforeAll(async () => (world = await createWorld({ PUBLIC_URL })));
  beforeEach(async () => (alice = await createKey(world)));
  afterAll(() => world.close());

  const check = (body: object) => world.as(alice).post('/suppressions/check').send(body);

  it('returns one for each address that may be mailed', async () => {
    await world.as(alice).post('/suppressions').send({ email: 'ada@example.com' }).expect(201);
    const emails = ['ada@example.com', 'Grace@Example.com', 'no address', 'grace@example.com'];
    const { body } = await check({ emails, ...INCLUDE }).expect(200);
    expect(body.data.map((one: object) => 'unsubscribe' in one)).toEqual([false, true, false, true]);
    const { url, headers } = body.data[1].unsubscribe;
    expect(headers).toEqual({
      'List-Unsubscribe': `<${url}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
    await fetch(url.replace(PUBLIC_URL, world.url), { method: 'POST' });
    expect(await verdictOn(world, alice, 'grace@example.com')).toBe('suppressed');
    expect(await historyOf(world, alice, 'ada@example.com')).toHaveLength(1);
  });

  it('returns one that opts out of the topic of the check', async () => {
    await createTopic(world, alice, 'news');
    const { body } = await check({ emails: ['ada@example.com'], topic: 'news', ...INCLUDE }).expect(200);
    const { url, headers } = body.data[0].unsubscribe;
    expect(headers['List-Id']).toMatch(/^<news\./);
    await fetch(url.replace(PUBLIC_URL, world.url), { method: 'POST' });
    expect(await verdictOn(world, alice, 'ada@example.com', { topic: 'news' })).toBe('suppressed');
    expect(await verdictOn(world, alice, 'ada@example.com')).toBe('send');
  });

  it('returns none unless asked', async () => {
    const { body } = await check({ emails: ['ada@example.com'] }).expect(200);
    expect(body.data[0]).not.toHaveProperty('unsubscribe');
  });

  it.each([
    [{ include: 'unsubscribe' }, /^include must be an array/],
    [{ include: ['links'] }, /^include must be an array/],
    [{ ...INCLUDE, as_of: '2026-01-15T09:30:00Z' }, /^include must be left out if as_of is given/],
    [{ ...INCLUDE, mailto: 'yes' }, /^mailto must be true or false/],
  ])('refuses %j', async (more, message) => {
    const { body } = await check({ emails: ['ada@example.com'], ...more }).expect(400);
    expect(body.message).toMatch(message);
  });

  it('refuses mailto for an account without a mailbox', async () => {
    const { body } = await check({ emails: ['ada@example.com'], ...INCLUDE, mailto: true }).expect(422);
    expect(body.code).toBe('unsubscribe_mailbox_missing');
  });
});
