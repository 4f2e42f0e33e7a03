import type { ServerResponse } from 'node:http';
import { skipTime } from '../support/clock.js';
import { ageSignIns, browserAt, invite, signIn } from '../support/console.js';
import {
  CLIENT_SECRET,
  startIdentityProvider,
  type Forgery,
  type IdentityProvider,
  type Person,
} from '../support/servers/identity-provider.js';
import { until } from '../support/until.js';
import { createWorld, type World } from '../support/world.js';

const PORT = 3999;
/** Each of two waits is shorter than a statement may take, and both together are longer than a request may. */
const FIRST_WAIT_MS = 2_500;

describe('signing in at an identity provider', () => {
  let world: World;
  let provider: IdentityProvider;
  beforeAll(async () => {
    provider = await startIdentityProvider('console');
    world = await createWorld({
      BASE_URL: `http://127.0.0.1:${PORT}`,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: 'console',
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
      OIDC_ROLES:
        'support=acme:viewer,leads=acme:editor,leads=globex:admin,auditors=globex:viewer,admins=acme:admin,new=later:viewer,moved=acme:viewer',
    });
  });
  afterAll(async () => {
    await world.close();
    await provider.close();
  });

  /** Behind a proxy that the service does not trust, so that the sign-ins of this file are not limited. */
  const hiddenBrowser = () => browserAt(world).set('X-Forwarded-For', '192.0.2.1');

  /** Goes to the provider and comes back, as a browser does. */
  async function signInAs(person: Person, path = '/console/sign-in/oidc', browser = hiddenBrowser()) {
    provider.person = person;
    const { headers } = await browser.get(path).expect(303);
    const answer = await fetch(headers.location!, { redirect: 'manual' });
    const back = new URL(answer.headers.get('location')!);
    return { browser, back, response: await browser.get(back.pathname + back.search) };
  }

  it('gives the highest role that the groups have in the account', async () => {
    const { browser, response } = await signInAs({ email: 'Lea@acme.example', groups: ['support', 'leads'] });
    expect(response.status).toBe(303);
    const { text } = await browser.get('/console').expect(200);
    expect(text).toMatch(/lea@acme\.example.*\(editor\)/s);
    expect(text).toContain('>acme<');
  });

  it('opens the account that the URL names', async () => {
    const lead = { email: 'lea@acme.example', groups: ['leads'] };
    const { browser } = await signInAs(lead, '/console/sign-in/oidc?account=globex');
    expect((await browser.get('/console').expect(200)).text).toMatch(/>globex<.*\(admin\)/s);
    const { response } = await signInAs(lead, '/console/sign-in/oidc?account=initech');
    expect(response.status).toBe(403);
  });

  it('returns to the page whose form needs a recent sign-in', async () => {
    const ada = { email: 'ada@acme.example', groups: ['admins', 'leads'] };
    const { browser } = await signInAs(ada);
    await ageSignIns(world);
    const { text } = await browser
      .post('/console/api-keys')
      .set('Referer', `${world.url}/console/api-keys?limit=2`)
      .send({ name: 'mailer' })
      .expect(403);
    const again = /href="([^"]+)">Sign in again/.exec(text)![1]!.replaceAll('&amp;', '&');
    expect(again).toBe('/console/sign-in/oidc?account=acme&return=%2Fconsole%2Fapi-keys%3Flimit%3D2');
    const { response } = await signInAs(ada, again, browser);
    expect(response.headers.location).toBe('/console/api-keys?limit=2');
    const { text: form } = await browser.get('/console/api-keys?limit=2').expect(200);
    expect(form).toContain('value="mailer"');
    await browser.post('/console/api-keys').send({ name: 'mailer', scopes: 'rules:read' }).expect(200);
    const refused = await browserAt(world).get('/console/list').expect(401);
    expect(refused.text).toContain('href="/console/sign-in/oidc?return=%2Fconsole%2Flist"');
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    'https://evil.example/console',
    '/u/token',
    '/console/../u/token',
    '/console/./../u/token',
    '/console/%2e%2e/u/token',
    '/console/.%2E/u/token',
    '/console/..%2fu/token',
    '/console\\..\\u/token',
    '/console/.\t./u/token',
    '/console/.\n./u/token',
    '/console//evil.example',
    '/consoles',
    'javascript:alert(1)//console',
    '/console#/../u/token',
    `/console?q=${'x'.repeat(3_000)}`,
  ])('does not return to %j', async (page) => {
    const path = `/console/sign-in/oidc?${new URLSearchParams({ return: page }).toString()}`;
    const { response } = await signInAs({ email: 'ret@acme.example', groups: ['leads'] }, path);
    expect(response.headers.location).toBe('/console');
  });

  it('still accepts sign-in links, which only the operator can create', async () => {
    const admin = await signIn(world, 'admin', 'links@acme.example');
    await signInAs({ email: 'max@acme.example', groups: ['support'] });
    const [{ id } = { id: '' }] = await world.database.query<{ id: string }>(
      `SELECT id FROM people WHERE email = 'max@acme.example'`,
    );
    expect((await admin.get('/console/people').expect(200)).text).not.toContain('Make a link');
    const refused = /No link was created.*console invite/;
    await admin.post('/console/people').send({ email: 'max@acme.example' }).expect(409, refused);
    await admin.post(`/console/people/${id}/remove`).expect(303);
    await admin.post('/console/people').send({ email: 'max@acme.example' }).expect(409, refused);
    await admin.post('/console/people').send({ email: 'never@acme.example' }).expect(409, refused);
    await signIn(world, 'viewer', 'max@acme.example');
  });

  it('signs a person out everywhere once their groups no longer have a role', async () => {
    const gus = { email: 'gus@acme.example', groups: ['leads'], sub: 'gus-1' };
    const inAcme = (await signInAs(gus)).browser;
    const inGlobex = (await signInAs(gus, '/console/sign-in/oidc?account=globex')).browser;
    await signInAs({ ...gus, groups: ['support'] });
    await inAcme.get('/console').expect(200);
    await inGlobex.get('/console').expect(401);
    expect((await signInAs({ ...gus, groups: [] })).response.status).toBe(403);
    await inAcme.get('/console').expect(401);
  });

  it('gives people the roles of their groups in all accounts', async () => {
    const ivy = { email: 'ivy@acme.example', groups: ['leads'], sub: 'ivy-1' };
    const { browser } = await signInAs(ivy, '/console/sign-in/oidc?account=globex');
    await signInAs({ ...ivy, groups: ['support', 'auditors'] });
    expect((await browser.get('/console').expect(200)).text).toMatch(/>globex<.*\(viewer\)/s);
    await browser.post('/console/settings').expect(403);
  });

  it('signs people out of an account that OIDC_ROLES no longer names', async () => {
    const joe = { email: 'joe@acme.example', groups: ['leads'], sub: 'joe-1' };
    const { browser } = await signInAs(joe, '/console/sign-in/oidc?account=globex');
    await world.database.query(`UPDATE accounts SET name = 'unnamed' WHERE name = 'globex'`);
    await signInAs(joe);
    await world.database.query(`UPDATE accounts SET name = 'globex' WHERE name = 'unnamed'`);
    await browser.get('/console').expect(401);
  });

  it('takes the only group of a person as a string', async () => {
    const { response } = await signInAs({ email: 'one@acme.example', groups: 'support' });
    expect(response.status).toBe(303);
  });

  it('asks for credentials, with PKCE, state and nonce', async () => {
    await signInAs({ email: 'sue@acme.example', groups: ['support'] });
    const parameters = Object.fromEntries(provider.authorizationRequests.at(-1)!);
    expect(parameters).toMatchObject({
      client_id: 'console',
      response_type: 'code',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      prompt: 'login',
      max_age: '300',
      redirect_uri: `http://127.0.0.1:${PORT}/console/sign-in/oidc/callback`,
    });
  });

  it.each<[string, Person]>([
    ['somebody without a group', { email: 'eve@acme.example', groups: ['sales'] }],
    ['somebody whose groups are not told', { email: 'eve@acme.example' }],
    [
      'an address that is not verified',
      { email: 'eve@acme.example', email_verified: false, groups: ['leads'] },
    ],
    [
      'an address that may be verified or not',
      { email: 'eve@acme.example', email_verified: undefined, groups: ['leads'] },
    ],
    [
      'somebody who entered credentials an hour ago',
      { email: 'eve@acme.example', auth_time: Math.floor(Date.now() / 1_000) - 3_600, groups: ['leads'] },
    ],
    [
      'somebody who may have entered credentials long ago',
      { email: 'eve@acme.example', auth_time: undefined, groups: ['leads'] },
    ],
    [
      'somebody who enters credentials in an hour',
      { email: 'eve@acme.example', auth_time: Math.floor(Date.now() / 1_000) + 3_600, groups: ['leads'] },
    ],
    ['groups that are not texts', { email: 'eve@acme.example', groups: [['leads']] }],
    ['groups that are not a list', { email: 'eve@acme.example', groups: { leads: true } }],
    ['a group and something else', { email: 'eve@acme.example', groups: ['leads', 1] }],
    ['somebody without an address', { groups: ['leads'] }],
    ['somebody whose account does not exist yet', { email: 'eve@acme.example', groups: ['new'] }],
  ])('refuses %s', async (_who, person) => {
    const { browser, response } = await signInAs(person);
    expect(response.status).toBe(403);
    await browser.get('/console').expect(401);
  });

  it.each<Forgery>(['unsigned', 'foreign key', 'changed', 'client secret'])(
    'refuses an id token that the provider has not signed: %s',
    async (forgery) => {
      provider.forgery = forgery;
      const { browser, response } = await signInAs({ email: 'eve@acme.example', groups: ['leads'] });
      expect(response.status).toBe(403);
      expect(response.text).toContain('The identity provider did not sign you in.');
      await browser.get('/console').expect(401);
    },
  );

  it('changes no role by groups that it cannot read', async () => {
    const tea = { email: 'tea@acme.example', groups: ['leads'] };
    const { browser } = await signInAs(tea);
    expect((await signInAs({ ...tea, groups: [['leads']] })).response.text).toContain('the claim groups');
    await browser.get('/console').expect(200);
  });

  it('opens the first account that exists, and names in the log one that does not', async () => {
    const { response } = await signInAs({ email: 'eve@acme.example', groups: ['new'] });
    expect(response.status).toBe(403);
    const { browser } = await signInAs({ email: 'eve@acme.example', groups: ['new', 'moved'] });
    expect((await browser.get('/console').expect(200)).text).toContain('>acme<');
    expect(world.logLines()).toContainEqual(
      expect.objectContaining({ msg: expect.stringContaining('does not exist'), account: 'later' }),
    );
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['breaks the connection', (response) => response.destroy()],
    ['fails', (response) => response.writeHead(502).end()],
    ['does not respond in time', (response) => setTimeout(() => response.end(), 6_000).unref()],
  ])('answers 503 if the provider %s', async (_what, onToken) => {
    provider.onToken = onToken;
    const { browser, response } = await signInAs({ email: 'sue@acme.example', groups: ['support'] });
    expect(response.status).toBe(503);
    expect(response.text).toContain('The identity provider cannot be reached.');
    await browser.get('/console').expect(401);
  });

  it('forgets a sign-in that has ended', async () => {
    const { browser, back, response } = await signInAs({ email: 'sue@acme.example', groups: ['support'] });
    expect(response.headers['set-cookie']).toContainEqual(
      expect.stringMatching(/^console-sign-in=; Path=\/; Max-Age=0;/),
    );
    await browser
      .get(back.pathname + back.search)
      .expect(403)
      .expect(/has expired/);
  });

  describe('the first sign-in of a person', () => {
    const pam = { email: 'pam@acme.example', groups: ['support'], sub: 'pam-1' };
    const people = (email: string) =>
      world.database.query<{ id: string; oidc_issuer: string; oidc_subject: string; email: string }>(
        'SELECT id, email, oidc_issuer, oidc_subject FROM people WHERE email = $1',
        [email],
      );

    it('binds the person to the identity, even after an invitation by address', async () => {
      await signIn(world, 'viewer', pam.email);
      expect(await people(pam.email)).toMatchObject([{ oidc_subject: null }]);
      expect((await signInAs(pam)).response.status).toBe(303);
      expect(await people(pam.email)).toMatchObject([
        { oidc_issuer: provider.issuer, oidc_subject: 'pam-1' },
      ]);
      expect((await signInAs(pam)).response.status).toBe(303);
      expect(await people(pam.email)).toHaveLength(1);
    });

    it('ends the sessions and links that the person had before', async () => {
      const zoe = { email: 'zoe@acme.example', groups: ['support'], sub: 'zoe-1' };
      const session = await signIn(world, 'admin', zoe.email);
      const sessionOfAnother = await signIn(world, 'viewer', 'yan@acme.example');
      const { pathname: link } = new URL(await invite(world, 'admin', zoe.email));
      const { pathname: linkOfAnother } = new URL(await invite(world, 'viewer', 'yan@acme.example'));
      const { browser } = await signInAs(zoe);
      await session.get('/console').expect(401);
      await hiddenBrowser().post(link).expect(403);
      await sessionOfAnother.get('/console').expect(200);
      await hiddenBrowser().post(linkOfAnother).expect(303);
      await browser.get('/console').expect(200);
      await signInAs(zoe);
      await browser.get('/console').expect(200);
    });

    it('keeps a link that the operator created after it', async () => {
      const una = { email: 'una@acme.example', groups: ['support'], sub: 'una-1' };
      await signInAs(una);
      const { pathname } = new URL(await invite(world, 'viewer', una.email));
      await signInAs(una);
      await hiddenBrowser().post(pathname).expect(303);
    });

    it('keeps out whoever gets the address later, until an admin removes the person', async () => {
      const other = { ...pam, sub: 'pam-2' };
      const { browser, response } = await signInAs(other);
      expect(response.status).toBe(403);
      expect(response.text).toMatch(/another person here.*ask an admin to remove that person under People/s);
      await browser.get('/console').expect(401);
      const admin = await signIn(world, 'admin');
      const [{ id } = { id: '' }] = await people(pam.email);
      await admin.post(`/console/people/${id}/remove`).expect(303);
      expect((await signInAs(other)).response.status).toBe(303);
    });

    it('still identifies the person after a change of the address', async () => {
      const kim = { email: 'kim@acme.example', groups: ['support'], sub: 'kim-1' };
      await signInAs(kim);
      const [before] = await people(kim.email);
      const { response } = await signInAs({ ...kim, email: 'kim.lee@acme.example' });
      expect(response.status).toBe(303);
      expect(await people('kim.lee@acme.example')).toEqual([{ ...before, email: 'kim.lee@acme.example' }]);
      const { response: taken } = await signInAs({ ...kim, email: 'sue@acme.example' });
      expect(taken.status).toBe(403);
    });

    it('binds the person again after the operator has changed the provider', async () => {
      await world.database.query(`UPDATE people SET oidc_issuer = 'https://old.example' WHERE email = $1`, [
        'kim.lee@acme.example',
      ]);
      const kim = { email: 'kim.lee@acme.example', groups: ['support'], sub: 'kim-of-new' };
      expect((await signInAs(kim)).response.status).toBe(303);
      expect(await people(kim.email)).toMatchObject([
        { oidc_issuer: provider.issuer, oidc_subject: kim.sub },
      ]);
    });
  });

  it('signs nobody in after the deadline', async () => {
    provider.person = { email: 'slow@acme.example', groups: ['support'] };
    const browser = browserAt(world);
    const { headers } = await browser.get('/console/sign-in/oidc').expect(303);
    const answer = await fetch(headers.location!, { redirect: 'manual' });
    const back = new URL(answer.headers.get('location')!);
    const accounts = await world.database.lock('accounts');
    const people = await world.database.lock('people');
    const status = browser.get(back.pathname + back.search).then((response) => response.status);
    await world.database.untilWaiting();
    skipTime(FIRST_WAIT_MS);
    await accounts.release();
    expect(await status).toBe(503);
    await people.release();
    await until(async () => (await world.database.countBusy()) === 0);
    const found = await world.database.query(`SELECT FROM people WHERE email = 'slow@acme.example'`);
    expect(found).toEqual([]);
  });

  it('ends the session that the browser had before', async () => {
    const sessions = () =>
      world.database.query(
        `SELECT FROM console_sessions JOIN people ON people.id = person_id WHERE email = 'twice@acme.example'`,
      );
    const person = { email: 'twice@acme.example', groups: ['support'] };
    const { browser } = await signInAs(person);
    expect(await sessions()).toHaveLength(1);
    await signInAs(person, '/console/sign-in/oidc', browser);
    expect(await sessions()).toHaveLength(1);
    await browser.get('/console').expect(200);
  });

  it('refuses a response that another browser requested', async () => {
    const { back } = await signInAs({ email: 'sue@acme.example', groups: ['support'] });
    const other = browserAt(world);
    for (const cookie of ['', 'console-sign-in=a.b.c.%']) {
      await browserAt(world)
        .get(back.pathname + back.search)
        .set('Cookie', cookie)
        .expect(403)
        .expect(/has expired/);
    }
    await other.get('/console/sign-in/oidc').expect(303);
    await other
      .get(back.pathname + back.search)
      .expect(403)
      .expect(/did not sign you in/);
    await other.get('/console').expect(401);
  });

  it('is offered on the page for signing in', async () => {
    await browserAt(world)
      .get('/console/sign-in')
      .expect(200)
      .expect(/href="\/console\/sign-in\/oidc"/);
  });
});

describe('many attempts to sign in at an identity provider', () => {
  let world: World;
  let provider: IdentityProvider;
  beforeAll(async () => {
    provider = await startIdentityProvider('console');
    world = await createWorld({
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: 'console',
      OIDC_CLIENT_SECRET: CLIENT_SECRET,
      OIDC_ROLES: 'support=acme:viewer',
      OIDC_TRUST_EMAIL: 'true',
    });
  });
  afterAll(async () => {
    await world.close();
    await provider.close();
  });

  /** Sends a code that nobody received from the provider. */
  const guess = async (): Promise<number> => {
    const browser = browserAt(world);
    const { headers } = await browser.get('/console/sign-in/oidc').expect(303);
    const state = new URL(headers.location!).searchParams.get('state');
    return (await browser.get(`/console/sign-in/oidc/callback?code=guessed&state=${state}`)).status;
  };

  it.each([
    ['does not say whether an address is verified', undefined, 303],
    ['says that it is not', false, 403],
  ])(
    "trust the operator's OIDC_TRUST_EMAIL only if the provider %s",
    async (_what, email_verified, status) => {
      provider.person = { email: 'ent@acme.example', email_verified, groups: ['support'] };
      const browser = browserAt(world);
      const { headers } = await browser.get('/console/sign-in/oidc').expect(303);
      const { headers: answer } = await fetch(headers.location!, { redirect: 'manual' });
      const back = new URL(answer.get('location')!);
      await browser
        .get(back.pathname + back.search)
        .set('X-Forwarded-For', '192.0.2.1')
        .expect(status);
    },
  );

  it('are limited for a network, but not because the provider is down', async () => {
    for (let attempt = 0; attempt < 11; attempt++) {
      provider.onToken = (response) => response.writeHead(503).end();
      expect(await guess()).toBe(503);
    }
    const statuses = await Promise.all(Array.from({ length: 12 }, guess));
    expect(statuses.filter((status) => status === 403)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
    let isAsked = false;
    provider.onToken = () => (isAsked = true);
    expect(await guess()).toBe(429);
    expect(isAsked).toBe(false);
  });
});

describe('a service without an identity provider', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it('does not offer one', async () => {
    const { text } = await browserAt(world).get('/console/sign-in').expect(200);
    expect(text).not.toContain('oidc');
    await browserAt(world).get('/console/sign-in/oidc').expect(404);
  });
});
