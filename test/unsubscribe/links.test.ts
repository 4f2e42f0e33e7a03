import { createHash, randomUUID } from 'node:crypto';
import PostalMime from 'postal-mime';
import request from 'supertest';
import { MetricsServer } from '../../src/metrics/metrics-server.js';
import { UnsubscribeSettingsService } from '../../src/unsubscribe-links/unsubscribe-settings.service.js';
import { skipTime } from '../support/clock.js';
import { reportByPostmark } from '../support/facts.js';
import { OPERATOR } from '../support/operator.js';
import { mail } from '../support/raw-mail.js';
import { createTopic, historyOf, PUBLIC_URL, tokenFor, verdictOn } from '../support/recipients.js';
import { createSource, postMail, readInbox, type TestSource } from '../support/sources.js';
import { startTestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { createKey, createWorld, type World } from '../support/world.js';

const EMAIL_ID = '8f3c6f1e-2d4b-4c7a-9a10-5b6c7d8e9f00';

/** Each of two waits is shorter than a statement may take, and both together are longer than a request may. */
const FIRST_WAIT_MS = 2_500;

let world: World;
beforeAll(
  async () => (world = await createWorld({ PUBLIC_URL, TRUST_PROXY: 'loopback', METRICS_PORT: '0' })),
);
afterAll(() => world.close());

describe('POST /unsubscribe-links', () => {
  let alice: string;
  beforeEach(async () => (alice = await createKey(world)));

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

  it('needs the scope suppressions:check', async () => {
    await create({ emails: ['ada@example.com'] }, await createKey(world, ['suppressions:check'])).expect(200);
    await create({ emails: ['ada@example.com'] }, await createKey(world, ['topics:write'])).expect(401);
  });

  it('creates one key, however many first requests arrive at once', async () => {
    const requests = Array.from({ length: 8 }, () => create({ emails: ['ada@example.com'] }).expect(200));
    await Promise.all(requests);
    const { body } = await world.as(alice).get('/audit-log').query({ action: 'unsubscribe_key.created' });
    expect(body.data).toHaveLength(1);
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
    ['at a host in Unicode', { PUBLIC_URL: 'https://lists.münchen.example' }, 200],
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
      expect(response.body.data[0].url).toMatch(/^https?:\/\/(?!.*\/\/)[\x21-\x7e]+\/u\//);
    }
  });
});

const ADA = 'ada@example.com';

const PAIR = 'List-Unsubscribe=One-Click';

const URLENCODED = 'application/x-www-form-urlencoded';

const BOUNDARY = '----=_Part_7';

const MULTIPART = [
  `--${BOUNDARY}`,
  'Content-Disposition: form-data; name="List-Unsubscribe"',
  '',
  'One-Click',
  `--${BOUNDARY}--`,
  '',
].join('\r\n');

/** What mail programs send. */
const REQUESTS: [string, Record<string, string>, string | undefined][] = [
  ['Gmail', { 'content-type': URLENCODED, 'user-agent': 'Mozilla/5.0 (compatible; Google-Mail)' }, PAIR],
  ['Yahoo', { 'content-type': URLENCODED, 'user-agent': 'YahooMailProxy' }, PAIR],
  [
    'Apple Mail',
    {
      'content-type': `multipart/form-data; boundary="${BOUNDARY}"`,
      'user-agent': 'Mail/3774 CFNetwork/1490',
    },
    MULTIPART,
  ],
  ['a Thunderbird add-on', { 'user-agent': 'Mozilla/5.0 Thunderbird/128.0' }, undefined],
  ['a program that sends text', { 'content-type': 'text/plain' }, PAIR],
  ['a program that sends JSON', { 'content-type': 'application/json' }, '{'],
  ['a program that sends no type', {}, PAIR],
  ['a program that claims a compression', { 'content-type': URLENCODED, 'content-encoding': 'br' }, PAIR],
  ['a program that sends a long body', { 'content-type': URLENCODED }, 'x'.repeat(200_000)],
  ['a program that sends too long a body', { 'content-type': URLENCODED }, 'a&'.repeat(600_000)],
];

describe('a POST to an unsubscribe link', () => {
  let alice: string;
  beforeEach(async () => (alice = await createKey(world)));

  const post = (token: string, headers: Record<string, string> = {}, body?: string) =>
    fetch(`${world.url}/u/${token}`, {
      method: 'POST',
      redirect: 'manual',
      headers,
      ...(body !== undefined && { body: Buffer.from(body) }),
    });
  const forged = () => `AQ${Buffer.from(randomUUID().repeat(3)).toString('base64url')}`;

  it.each(REQUESTS)('unsubscribes from everything when it comes from %s', async (_program, headers, body) => {
    const response = await post(await tokenFor(world, alice, ADA), headers, body);
    expect(response.status).toBe(200);
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(response.headers.get('location')).toBeNull();
    expect((await response.text()).length).toBeLessThan(1_024);
    expect(await verdictOn(world, alice, ADA)).toBe('suppressed');
    const [line, ...others] = await historyOf(world, alice, ADA);
    expect(line).toMatchObject({ action: 'added', cause: 'unsubscribe', actor: { type: 'recipient' } });
    expect(others).toEqual([]);
  });

  it('still lets transactional mail through', async () => {
    await post(await tokenFor(world, alice, ADA));
    expect(await verdictOn(world, alice, ADA, { transactional: true })).toBe('send');
  });

  it('with a topic opts out of that topic only', async () => {
    await createTopic(world, alice, 'news');
    await createTopic(world, alice, 'offers');
    await post(await tokenFor(world, alice, ADA, { topic: 'news' }));
    expect(await verdictOn(world, alice, ADA, { topic: 'news' })).toBe('suppressed');
    expect(await verdictOn(world, alice, ADA, { topic: 'offers' })).toBe('send');
    expect(await verdictOn(world, alice, ADA)).toBe('send');
  });

  it('with a topic that was archived since opts out of that topic only', async () => {
    const id = await createTopic(world, alice, 'news');
    const token = await tokenFor(world, alice, ADA, { topic: 'news' });
    await world.as(alice).delete('/topics/news').expect(200);
    expect((await post(token)).status).toBe(200);
    expect(await verdictOn(world, alice, ADA)).toBe('send');
    expect(await historyOf(world, alice, ADA)).toMatchObject([{ action: 'opted_out', topic: id }]);
  });

  it('leaves evidence in the history', async () => {
    const token = await tokenFor(world, alice, ADA, { source_id: EMAIL_ID });
    const agent = { 'user-agent': 'Mozilla/5.0 (compatible; Google-Mail)' };
    await post(token, { ...agent, 'x-forwarded-for': '203.0.113.77' }, PAIR);
    expect(await historyOf(world, alice, ADA)).toMatchObject([
      {
        source_id: EMAIL_ID,
        actor: { type: 'recipient', id: null, name: 'recipient' },
        evidence: {
          via: 'one_click',
          token_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
          user_agent: agent['user-agent'],
          client_address: '203.0.113.0/24',
        },
      },
    ]);
    const grace = await tokenFor(world, alice, 'grace@example.com');
    await post(grace, { 'x-forwarded-for': '2001:db8:1:2::3' });
    expect(await historyOf(world, alice, 'grace@example.com')).toMatchObject([
      { evidence: { client_address: '2001:db8:1::/48' } },
    ]);
    const joan = await tokenFor(world, alice, 'joan@example.com');
    await post(joan, { 'x-forwarded-for': '203.0.113.77:50123' });
    expect(await historyOf(world, alice, 'joan@example.com')).toMatchObject([
      { evidence: { client_address: '203.0.113.0/24' } },
    ]);
    const mary = await tokenFor(world, alice, 'mary@example.com');
    await post(mary, { 'x-forwarded-for': 'unknown' });
    expect(await historyOf(world, alice, 'mary@example.com')).toMatchObject([
      { evidence: { client_address: null } },
    ]);
  });

  it('changes nothing a second time, nor when several arrive at once', async () => {
    const token = await tokenFor(world, alice, ADA);
    const statuses = await Promise.all([1, 2, 3, 4].map(async () => (await post(token)).status));
    expect(statuses).toEqual([200, 200, 200, 200]);
    expect(await historyOf(world, alice, ADA)).toHaveLength(1);
  });

  it('acts again after the address was subscribed again: the person clicked now', async () => {
    const token = await tokenFor(world, alice, ADA);
    await post(token);
    await world.as(alice).delete(`/suppressions/${ADA}`).expect(200);
    await post(token);
    expect(await verdictOn(world, alice, ADA)).toBe('suppressed');
  });

  it('adds a cause to an address that bounced', async () => {
    await world.as(alice).post('/suppressions').send({ email: ADA }).expect(201);
    await post(await tokenFor(world, alice, ADA));
    const { body } = await world.as(alice).get(`/suppressions/${ADA}?include=causes`).expect(200);
    expect(body.causes.map(({ cause }: { cause: string }) => cause)).toEqual(['unsubscribe', 'manual']);
  });

  it('works with a slash at its end', async () => {
    await post(`${await tokenFor(world, alice, ADA)}/`);
    expect(await verdictOn(world, alice, ADA)).toBe('suppressed');
  });

  it('changes the list of the account that made the link, and no other', async () => {
    await post(await tokenFor(world, alice, ADA));
    expect(await verdictOn(world, await createKey(world), ADA)).toBe('send');
  });

  it('gets 200 for a link that no account made, and changes nothing', async () => {
    const token = await tokenFor(world, alice, ADA);
    const changed = token.slice(0, -6) + (token.endsWith('AAAAAA') ? 'BBBBBB' : 'AAAAAA');
    const [real, ...others] = await Promise.all(
      [token, changed, forged(), 'x', `${token}A`].map(async (one) => {
        const response = await post(one, { 'x-forwarded-for': '198.51.100.1' });
        return [response.status, await response.text()];
      }),
    );
    expect(real![0]).toBe(200);
    expect(others).toEqual(others.map(() => real));
    expect(await historyOf(world, alice, ADA)).toHaveLength(1);
  });

  it('is refused after 60 bad links in a minute, while good links keep working', async () => {
    const client = { 'x-forwarded-for': '198.51.100.2' };
    const statuses: number[] = [];
    for (let tried = 0; tried < 62; tried++) {
      statuses.push((await post(forged(), client)).status);
    }
    expect(statuses).toEqual([...Array<number>(60).fill(200), 429, 429]);
    const refused = await fetch(`${world.url}/u/${forged()}`, { headers: client });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect((await post(await tokenFor(world, alice, ADA), client)).status).toBe(200);
    expect(await verdictOn(world, alice, ADA)).toBe('suppressed');
    const neighbour = { 'x-forwarded-for': '198.51.100.3' };
    expect((await fetch(`${world.url}/u/${forged()}`, { headers: neighbour })).status).toBe(404);
  });

  it.each([
    ['too long', `shown=${'x'.repeat(1_100_000)}&action=preferences`],
    ['made of too many fields', `shown=a&${'a&'.repeat(30_002)}action=preferences`],
  ])('refuses a form of the page that is %s, and opts nobody out', async (_what, body) => {
    const response = await post(await tokenFor(world, alice, ADA), { 'content-type': URLENCODED }, body);
    expect(response.status).toBe(413);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await verdictOn(world, alice, ADA)).toBe('send');
  });

  it('is answered 503 with Retry-After while the database cannot be written', async () => {
    const token = await tokenFor(world, alice, ADA);
    const lock = await world.database.lock('suppressions');
    const posted = post(token, { 'accept-language': 'de' });
    await world.database.cancelWaiting();
    const response = await posted;
    await lock.release();
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(await response.text()).toContain('Ihr Link bleibt gültig.');
    expect(await historyOf(world, alice, ADA)).toEqual([]);
  });

  it('writes neither the token nor the address to the log', async () => {
    const token = await tokenFor(world, alice, ADA);
    await post(token);
    const log = JSON.stringify(world.logLines());
    expect(log).toContain('"/u/:token"');
    expect(log).not.toContain(token.slice(0, 20));
    expect(log).not.toContain(ADA);
  });
});

describe('a scanner that follows an unsubscribe link', () => {
  it.each(['GET', 'HEAD'])('changes nothing by %s, whatever is behind the link', async (method) => {
    const token = await tokenFor(world, world.alice, ADA);
    for (const suffix of ['', '/', '?List-Unsubscribe=One-Click', '?action=unsubscribe']) {
      const response = await fetch(`${world.url}/u/${token}${suffix}`, { method, redirect: 'manual' });
      expect(response.status).toBe(200);
      expect((await response.text()).includes('<form')).toBe(method === 'GET');
    }
    expect(await historyOf(world, world.alice, ADA)).toEqual([]);
  });

  it('learns during an outage, in its language, that nothing has changed', async () => {
    const token = await tokenFor(world, world.alice, ADA);
    const lock = await world.database.lock('suppressions');
    const learn = async (language: string, text: string) => {
      const response = await fetch(`${world.url}/u/${token}`, { headers: { 'accept-language': language } });
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('1');
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(await response.text()).toContain(text);
    };
    await Promise.all([
      learn('en', 'Nothing has changed, and your link remains valid.'),
      learn('de', 'Es hat sich nichts geändert, und Ihr Link bleibt gültig.'),
      world.database.cancelWaiting(2),
    ]).finally(() => lock.release());
  });

  it('gets 404 for a link that no account made', async () => {
    const response = await fetch(`${world.url}/u/AQAAAAEx`, {
      headers: { 'accept-language': 'de-AT,en;q=0.5' },
    });
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('<h1>Dieser Link funktioniert nicht</h1>');
  });
});

describe('a damaged unsubscribe link', () => {
  let alice: string;
  beforeEach(async () => (alice = await createKey(world)));

  const counted = async (labels: string): Promise<number> => {
    const metrics = await (await fetch(world.app.get(MetricsServer).url!)).text();
    const line = metrics
      .split('\n')
      .find((one) => one.includes(`damaged_unsubscribe_links_total{${labels}}`));
    return Number(line?.split(' ').at(-1) ?? 0);
  };
  const repaired = (method: string) => counted(`method="${method}",result="repaired"`);
  const unknown = (method: string) => counted(`method="${method}",result="unknown"`);

  it.each([
    '.',
    '>',
    ')',
    '%20',
    '=',
    '%22',
    '%E2%80%9D',
    '%94',
    '%',
    '%2',
    '%3E.',
    '&utm_source=news',
    ');/',
  ])('works with %j at its end', async (damage) => {
    const token = await tokenFor(world, alice, ADA);
    const [shown, acted] = [await repaired('GET'), await repaired('POST')];
    const page = await fetch(`${world.url}/u/${token}${damage}`);
    expect([page.status, (await page.text()).includes('<form')]).toEqual([200, true]);
    expect((await fetch(`${world.url}/u/${token}${damage}`, { method: 'POST' })).status).toBe(200);
    expect(await historyOf(world, alice, ADA)).toHaveLength(1);
    expect(await (await fetch(`${world.url}/u/${token}`)).text()).toContain('value="undo"');
    expect([await repaired('GET'), await repaired('POST')]).toEqual([shown + 1, acted + 1]);
  });

  it.each(['/u', '/u/', '/u/%', '/u/AQ%2', '/u/.'])('that is cut to %s gets the page', async (path) => {
    const before = [await unknown('GET'), await unknown('POST')];
    const page = await fetch(`${world.url}${path}`, { headers: { 'accept-language': 'de' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    const html = await page.text();
    expect(html).toContain('<h1>Dieser Link funktioniert nicht</h1>');
    const [, stylesheet] = /href="([^"]*page\.css[^"]*)"/.exec(html)!;
    expect((await fetch(new URL(stylesheet!, page.url))).status).toBe(200);
    expect((await fetch(`${world.url}${path}`, { method: 'POST' })).status).toBe(200);
    expect([await unknown('GET'), await unknown('POST')]).toEqual(before.map((count) => count + 1));
  });

  it('is not counted if it is whole', async () => {
    const token = await tokenFor(world, alice, ADA);
    const metricsOf = async () => (await fetch(world.app.get(MetricsServer).url!)).text();
    const linesOf = (metrics: string) => metrics.split('\n').filter((line) => /damaged.*\{/.test(line));
    const before = linesOf(await metricsOf());
    await fetch(`${world.url}/u/${token}`, { method: 'POST' });
    await fetch(`${world.url}/u/${token}/`);
    const metrics = await metricsOf();
    expect(linesOf(metrics)).toEqual(before);
    expect(metrics).not.toContain(token.slice(0, 20));
  });
});

describe('mail to the address of an unsubscribe link', () => {
  let source: TestSource;
  let count = 0;
  beforeAll(async () => {
    const settings = world.app.get(UnsubscribeSettingsService);
    await settings.update({ id: 1, name: 'acme' }, OPERATOR, {
      mailbox: 'unsubscribe@mail.example.com' as never,
    });
    await settings.update({ id: 2, name: 'globex' }, OPERATOR, {
      mailbox: 'unsubscribe@mail.example.org' as never,
    });
    source = await createSource(world, 'mail');
    await createTopic(world, world.alice, 'news');
  });

  const newEmail = () => `recipient${count++}@example.com`;
  const mailboxFor = async (email: string, body: object = {}, key = world.alice): Promise<string> => {
    const { body: links } = await world
      .as(key)
      .post('/unsubscribe-links')
      .send({ emails: [email], mailto: true, ...body })
      .expect(200);
    const header = links.data[0].headers['List-Unsubscribe'];
    const [, mailbox] = /^<https:\S+>, <mailto:([^?>]+)\?subject=unsubscribe>$/.exec(header) ?? [];
    return mailbox!;
  };
  const send = (headers: Record<string, string>) =>
    postMail(
      world,
      source,
      mail({ From: 'Somebody <other@example.net>', Subject: 'unsubscribe', ...headers }, ''),
    );

  it('has a local part that every mail server accepts, and is the same each time', async () => {
    const email = newEmail();
    const mailbox = await mailboxFor(email);
    expect(mailbox).toMatch(/^unsubscribe\+[0-9a-v]{26}@mail\.example\.com$/);
    expect(await mailboxFor(email)).toBe(mailbox);
    expect(await mailboxFor(email, { topic: 'news' })).not.toBe(mailbox);
    expect(await mailboxFor(newEmail())).not.toBe(mailbox);
  });

  it('is the same for a recipient that the request names twice', async () => {
    const email = newEmail();
    const { body } = await world
      .as(world.alice)
      .post('/unsubscribe-links')
      .send({ emails: [email, email.toUpperCase()], mailto: true })
      .expect(200);
    const mailboxes = body.data.map(
      ({ headers }: { headers: Record<string, string> }) => headers['List-Unsubscribe']!.split(', ')[1],
    );
    expect(mailboxes).toEqual(Array(2).fill(`<mailto:${await mailboxFor(email)}?subject=unsubscribe>`));
  });

  it('unsubscribes from everything, once, with its evidence', async () => {
    const email = newEmail();
    const mailbox = await mailboxFor(email);
    const [id] = /(?<=\+)\w+(?=@)/.exec(mailbox)!;
    for (const to of [mailbox, mailbox.toUpperCase()]) {
      expect((await send({ To: `<${to}>` })).status).toBe(200);
    }
    expect(await verdictOn(world, world.alice, email)).toBe('suppressed');
    expect(await historyOf(world, world.alice, email)).toMatchObject([
      {
        action: 'added',
        cause: 'unsubscribe',
        actor: { type: 'recipient' },
        evidence: { via: 'mail', token_hash: createHash('sha256').update(id!).digest('hex') },
      },
    ]);
  });

  it('keeps an unsubscribe that a source had reported from a resubscribe there', async () => {
    const email = newEmail();
    const postmark = await createSource(world, 'postmark');
    await reportByPostmark(world, postmark, 'unsubscribe', email);
    await send({ To: await mailboxFor(email) });
    await reportByPostmark(world, postmark, 'resubscribe', email, { at: new Date(Date.now() + 1_000) });
    expect(await historyOf(world, world.alice, email)).toMatchObject([
      { action: 'added', actor: { type: 'source' } },
      { action: 'cause_added', actor: { type: 'recipient' }, evidence: { via: 'mail' } },
    ]);
    expect(await verdictOn(world, world.alice, email)).toBe('suppressed');
  });

  it('opts out everybody whose address received it', async () => {
    const [one, other] = [newEmail(), newEmail()];
    const to = [await mailboxFor(one), await mailboxFor(other, { topic: 'news' }), 'else@example.com'];
    await send({ To: to.join(', ') });
    expect(await verdictOn(world, world.alice, one)).toBe('suppressed');
    expect(await verdictOn(world, world.alice, other)).toBe('send');
    expect(await verdictOn(world, world.alice, other, { topic: 'news' })).toBe('suppressed');
  });

  it('opts out of a topic only, even if only the mail server knows the address', async () => {
    const email = newEmail();
    const mailbox = await mailboxFor(email, { topic: 'news' });
    await send({ 'Delivered-To': mailbox, To: 'undisclosed-recipients:;' });
    expect(await verdictOn(world, world.alice, email, { topic: 'news' })).toBe('suppressed');
    expect(await verdictOn(world, world.alice, email)).toBe('send');
  });

  it('unsubscribes at the next attempt if the first one stored only the events of the message', async () => {
    const email = newEmail();
    const headers = {
      To: await mailboxFor(email),
      From: 'mailer-daemon@example.net',
      'Content-Type': 'multipart/report; report-type=feedback-report; boundary=b',
    };
    const report = [
      '--b\r\nContent-Type: message/feedback-report\r\n',
      'Feedback-Type: abuse\r\nVersion: 1\r\nUser-Agent: test/1\r\nOriginal-Rcpt-To: other@example.com\r\n\r\n--b--',
    ];
    const deliver = () => postMail(world, source, mail(headers, report.join('\r\n')));
    const before = (await readInbox(world, source)).length;
    const lock = await world.database.lock('suppressions');
    const refused = deliver();
    await world.database.cancelWaiting();
    expect((await refused).status).toBe(503);
    await lock.release();
    expect(await readInbox(world, source)).toHaveLength(before + 1);
    expect(await verdictOn(world, world.alice, email)).toBe('send');
    expect((await deliver()).status).toBe(200);
    expect(await readInbox(world, source)).toHaveLength(before + 1);
    expect(await verdictOn(world, world.alice, email)).toBe('suppressed');
  });

  it('is parsed once', async () => {
    const parse = jest.spyOn(PostalMime, 'parse');
    try {
      expect((await send({ To: newEmail() })).status).toBe(200);
      expect(parse).toHaveBeenCalledTimes(1);
    } finally {
      parse.mockRestore();
    }
  });

  it.each([
    ['a made-up address', async () => `unsubscribe+${'0'.repeat(26)}@mail.example.com`],
    ['the mailbox itself', async () => 'unsubscribe@mail.example.com'],
    ['the address of another account', (email: string) => mailboxFor(email, {}, world.charlie)],
  ])('changes nothing at %s', async (_title, addressOf) => {
    const email = newEmail();
    expect((await send({ To: await addressOf(email) })).status).toBe(200);
    for (const key of [world.alice, world.charlie]) {
      expect(await historyOf(world, key, email)).toEqual([]);
    }
  });
});

const INCLUDE = { include: ['unsubscribe'] };

describe('POST /suppressions/check with unsubscribe links', () => {
  let alice: string;
  beforeEach(async () => (alice = await createKey(world)));

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
    [{ include: ['links'] }, 'include may only have unsubscribe.'],
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
