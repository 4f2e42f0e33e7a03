import { runCommand } from '../support/command-line.js';
import { ageSignIns, browserAt, invite, signIn } from '../support/console.js';
import { TEST_SECRETS_KEY } from '../support/test-app.js';
import { createWorld, type World } from '../support/world.js';

describe('a form that is sent more than ten minutes after the sign-in', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const NOTICE = 'You are signed in again. Nothing has been changed yet';

  /** Sends a form from a page with an old sign-in, and signs in again with a link. */
  async function sendLate(page: string, action: string, fields: string) {
    const email = 'ada@acme.example';
    const browser = await signIn(world, 'admin', email);
    await ageSignIns(world);
    const refused = await browser
      .post(action)
      .set('Referer', world.url + page)
      .send(fields)
      .expect(403);
    const { pathname } = new URL(await invite(world, 'admin', email));
    const signedIn = await browser.post(pathname).expect(303);
    return { browser, refused, location: signedIn.headers.location! };
  }

  it.each([
    [
      '/console/api-keys?limit=1',
      '/console/api-keys',
      'name=late&scopes=rules%3Aread&days=90',
      'value="late"',
    ],
    [
      '/console/people',
      '/console/people',
      'email=max%40acme.example&role=editor',
      'value="max@acme.example"',
    ],
    ['/console/settings', '/console/settings', 'removal=open&bounce_expiry=11d', 'value="11d"'],
    [
      '/console/sources/new?provider=ses',
      '/console/sources',
      'provider=ses&name=late&failures=7&days=8',
      'value="late"',
    ],
    [
      '/console/webhooks',
      '/console/webhooks',
      'endpoint=https%3A%2F%2Flate.example%2Fhook&events=suppression.added',
      'value="https://late.example/hook"',
    ],
  ])('of %s keeps what was entered until another sign-in', async (page, action, fields, shown) => {
    const { browser, refused, location } = await sendLate(page, action, fields);
    expect(refused.text).toContain('<h1>Sign in again</h1>');
    expect(refused.text).toContain('What you entered is kept.');
    expect(location).toBe(page);
    const { text } = await browser.get(page).expect(200);
    expect(text).toContain(NOTICE);
    expect(text).toContain(shown);
    expect((await browser.get(page).expect(200)).text).not.toContain(shown);
    await browser
      .post(action)
      .send(fields)
      .expect(/^(?!.*Sign in again)/s);
  });

  it('keeps a secret, but not where anybody else can read it', async () => {
    const settings = { DATABASE_URL: world.database.url, SECRETS_KEY: TEST_SECRETS_KEY };
    const create = 'source create --account acme --provider resend --json';
    const { id } = JSON.parse((await runCommand(create.split(' '), settings, '/tmp')).stdout) as {
      id: string;
    };
    const page = `/console/sources/${id}`;
    const secret = 'whsec_c2VjcmV0LXRoYXQtd2FzLXR5cGVk';
    const fields = `name=signing_secret&value=${secret}`;
    const { browser, refused, location } = await sendLate(page, `${page}/secret`, fields);
    const [cookie] = refused.headers['set-cookie'] as unknown as string[];
    expect(cookie).toMatch(/^console-form=.*; Path=\/; Max-Age=900; HttpOnly; SameSite=Lax$/);
    const [, value] = /=([^;]+)/.exec(cookie!)!;
    for (const part of value!.split('.')) {
      expect(Buffer.from(part, 'base64').toString('latin1')).not.toContain('secret-that');
      expect(Buffer.from(part, 'base64').toString('latin1')).not.toContain('whsec_');
    }
    expect(refused.text).not.toContain(secret);
    expect(location).toBe(page);
    expect((await browser.get(page).expect(200)).text).toContain(`value="${secret}"`);
  });

  it('is kept until its page can be shown', async () => {
    const page = '/console/api-keys';
    const { browser } = await sendLate(page, page, 'name=late&scopes=rules%3Aread&days=');
    const lock = await world.database.lock('api_keys');
    const status = browser.get(page).then((response) => response.status);
    await world.database.cancelWaiting();
    expect(await status).toBe(503);
    await lock.release();
    expect((await browser.get(page).expect(200)).text).toContain('value="late"');
    expect((await browser.get(page).expect(200)).text).not.toContain('value="late"');
  });

  it('is not shown to another person, on another page, or after signing out', async () => {
    const page = '/console/api-keys';
    const { browser, refused } = await sendLate(page, page, 'name=late&scopes=rules%3Aread&days=');
    const [cookie] = (refused.headers['set-cookie'] as unknown as string[])[0]!.split(';');
    expect((await browser.get('/console/people').expect(200)).text).not.toContain(NOTICE);
    const other = await signIn(world, 'admin', 'eve@acme.example');
    const answer = await other.get(page).set('Cookie', cookie!);
    expect(answer.text).not.toContain('value="late"');
    await ageSignIns(world);
    expect((await browser.get(page).expect(200)).text).not.toContain('value="late"');
    await browser.post('/console/sign-out').expect(303);
    const { pathname } = new URL(await invite(world, 'admin', 'ada@acme.example'));
    expect((await browser.post(pathname).expect(303)).headers.location).toBe('/console');
  });

  it('leads nowhere but to a page of the console', async () => {
    const { pathname } = new URL(await invite(world, 'admin', 'ada@acme.example'));
    const forged = Buffer.from('/console/../u/token').toString('base64url');
    const { headers } = await browserAt(world).post(pathname).set('Cookie', `console-form=${forged}.x`);
    expect(headers.location).toBe('/console');
  });

  it('says that a form is too long to be kept', async () => {
    const endpoint = `https://late.example/${'x'.repeat(4_000)}`;
    const fields = `endpoint=${encodeURIComponent(endpoint)}`;
    const { refused, location } = await sendLate('/console/webhooks', '/console/webhooks', fields);
    expect(refused.text).toContain('could not be kept: go back and copy it');
    expect(location).toBe('/console');
  });

  it('is repeated by hand if nothing was entered', async () => {
    const email = 'ada@acme.example';
    const browser = await signIn(world, 'admin', email);
    const created = await browser
      .post('/console/api-keys')
      .send('name=k&scopes=rules%3Aread&days=')
      .expect(200);
    const [, path] = /action="(\/console\/api-keys\/[\w-]+\/revoke)"/.exec(created.text)!;
    await ageSignIns(world);
    const refused = await browser.post(path!).expect(403);
    expect(refused.text).toContain('Sign in again, then repeat it.');
    expect(refused.headers['set-cookie']).toBeUndefined();
  });
});
