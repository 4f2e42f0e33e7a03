import { skipTime } from '../support/clock.js';
import { createTopic, PUBLIC_URL } from '../support/recipients.js';
import { startTestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { createKey, createWorld, type World } from '../support/world.js';
import request from 'supertest';

const EMAIL_ID = '8f3c6f1e-2d4b-4c7a-9a10-5b6c7d8e9f00';
/** Each of two waits is shorter than a statement may take, and both together are longer than a request may. */
const FIRST_WAIT_MS = 2_500;

describe('POST /unsubscribe-links', () => {
  let world: World;
  let alice: string;
  beforeAll(async () => (world = await createWorld({ PUBLIC_URL })));
  beforeEach(async () => (alice = await createKey(world)));
  afterAll(() => world.close());

  const create = (body: object, key = alice) => world.as(key).post('/unsubscribe-links').send(body);

  it('returns a link and the headers for each recipient, in order', async () => {
    const { body } = await create({ emails: ['Ada@Example.com', 'grace@example.com'] }).expect(200);
    expect(body.object).toBe('list');
    expect(body.data.map(({ email }: { email: string }) => email)).toEqual([
      'ada@example.com',
      'grace@example.com',
    ]);
    for (const { url, headers } of body.data) {
      expect(url).toMatch(/^https:\/\/lists\.example\.com\/u\/[\w-]{100,140}$/);
      expect(headers).toEqual({
        'List-Unsubscribe': `<${url}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      });
    }
  });

  it('names the list of a topic, by its id or its key', async () => {
    const id = await createTopic(world, alice, 'news');
    for (const topic of [id, 'news']) {
      const { body } = await create({ emails: ['ada@example.com'], topic, source_id: EMAIL_ID }).expect(200);
      expect(body.data[0].headers['List-Id']).toMatch(/^<news\.\d+\.lists\.example\.com>$/);
    }
    const { body } = await create({ emails: ['ada@example.com'], topic: 'other' }).expect(404);
    expect(body).toMatchObject({ code: 'topic_not_found' });
  });

  it.each([
    [{}, 'emails must be an array of 1 to 1000 email addresses.'],
    [{ emails: [] }, 'emails must have at least 1 email address.'],
    [{ emails: ['ada@example.com', 'ada'] }, 'emails[1] must contain an @.'],
    [{ emails: ['ada@example.com'], topic: '!' }, 'topic must be the id or the key of a topic.'],
    [{ emails: ['ada@example.com'], source_id: '1' }, 'source_id must be a UUID.'],
    [{ emails: ['ada@example.com'], mailto: 1 }, 'mailto must be true or false.'],
    [{ emails: ['ada@example.com'], topics: 'news' }, /^topics/],
  ])('refuses %j', async (body, message) => {
    const response = await create(body).expect(400);
    expect(response.body.message).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    );
  });

  it('creates 1,000 links, and no more', async () => {
    const emails = Array.from({ length: 1_000 }, (_, index) => `user${index}@example.com`);
    const { body } = await create({ emails }).expect(200);
    expect(new Set(body.data.map(({ url }: { url: string }) => url)).size).toBe(1_000);
    await create({ emails: [...emails, 'one@example.com'] }).expect(400);
  });

  it('needs the scope suppressions:read', async () => {
    await create({ emails: ['ada@example.com'] }, await createKey(world, ['suppressions:read'])).expect(200);
    await create({ emails: ['ada@example.com'] }, await createKey(world, ['topics:write'])).expect(401);
  });

  it('creates no key for a request that got 503', async () => {
    const countKeys = () => world.database.query('SELECT id FROM unsubscribe_keys');
    const before = await countKeys();
    const reads = await world.database.lock('unsubscribe_keys');
    const writes = await world.database.lockWrites('unsubscribe_keys');
    const answer = create({ emails: ['ada@example.com'] }).then(({ status }) => status);
    await world.database.untilWaiting();
    skipTime(FIRST_WAIT_MS);
    await reads.release();
    expect(await answer).toBe(503);
    await writes.release();
    await until(async () => (await world.database.countBusy()) === 0);
    expect(await countKeys()).toEqual(before);
  });

  it('gets 503 while SECRETS_KEY is not that of the account’s key, and the log says so', async () => {
    await create({ emails: ['ada@example.com'] }).expect(200);
    const SECRETS_KEY = 'b6'.repeat(32);
    const other = await startTestApp(world.database.url, { PUBLIC_URL, SECRETS_KEY });
    const post = (path: string, more: object = {}) =>
      request(other.url)
        .post(path)
        .set('Authorization', `Bearer ${alice}`)
        .send({ emails: ['ada@example.com'], ...more });
    const errors = () => other.logLines().filter(({ level }) => level === 'error');
    await until(() => errors().length > 0);
    expect(errors()).toMatchObject([{ secrets: 'unsubscribe links' }]);
    const responses = [
      await post('/unsubscribe-links'),
      await post('/suppressions/check', { include: ['unsubscribe'] }),
    ];
    await other.close();
    expect(responses.map(({ status }) => status)).toEqual([503, 503]);
    const reason = expect.stringContaining('SECRETS_KEY');
    expect(errors().slice(1)).toMatchObject([{ reason }, { reason }]);
  });

  it.each([
    ['over plain HTTP', { BASE_URL: 'http://lists.example.com' }, 422],
    ['on all addresses of the machine', { HOST: '0.0.0.0' }, 422],
    ['over HTTPS', { PUBLIC_URL: 'https://lists.example.com/mail/' }, 200],
    ['over plain HTTP on loopback', { PUBLIC_URL: 'http://localhost:3000' }, 200],
    ['without SECRETS_KEY', { PUBLIC_URL, SECRETS_KEY: '' }, 422],
  ])('%s responds as the settings allow', async (_title, settings, status) => {
    const key = await createKey(world);
    const { url, close } = await startTestApp(world.database.url, settings as Record<string, string>);
    const response = await request(url)
      .post('/unsubscribe-links')
      .set('Authorization', `Bearer ${key}`)
      .send({ emails: ['ada@example.com'] });
    await close();
    expect(response.status).toBe(status);
    if (status === 422) {
      expect(response.body.code).toBe('unsubscribe_links_unavailable');
    } else {
      expect(response.body.data[0].url).not.toContain('//u/');
    }
  });
});
