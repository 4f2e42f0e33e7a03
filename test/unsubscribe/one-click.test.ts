import { randomUUID } from 'node:crypto';
import { MetricsServer } from '../../src/metrics/metrics-server.js';
import { createTopic, historyOf, PUBLIC_URL, tokenFor, verdictOn } from '../support/recipients.js';
import { createKey, createWorld, type World } from '../support/world.js';

const ADA = 'ada@example.com';
const EMAIL_ID = '8f3c6f1e-2d4b-4c7a-9a10-5b6c7d8e9f00';
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
  let world: World;
  let alice: string;
  beforeAll(async () => (world = await createWorld({ PUBLIC_URL, TRUST_PROXY: 'loopback' })));
  beforeEach(async () => (alice = await createKey(world)));
  afterAll(() => world.close());

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
    ['made of too many fields', `shown=a&${'a&'.repeat(20_002)}action=preferences`],
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
  let world: World;
  beforeAll(async () => (world = await createWorld({ PUBLIC_URL })));
  afterAll(() => world.close());

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
  let world: World;
  let alice: string;
  beforeAll(async () => (world = await createWorld({ PUBLIC_URL, METRICS_PORT: '0' })));
  beforeEach(async () => (alice = await createKey(world)));
  afterAll(() => world.close());

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
