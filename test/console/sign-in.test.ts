import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { SignInSweep } from '../../src/console/people/sign-in-sweep.js';
import { runCommand } from '../support/command-line.js';
import { ageSignIns, browserAt, invite, signIn } from '../support/console.js';
import { until } from '../support/until.js';
import { createWorld, withNewAccounts, type World } from '../support/world.js';

describe('signing in to the console', () => {
  let service: World;
  let world: World;
  beforeAll(async () => (service = await createWorld()));
  beforeEach(async () => (world = await withNewAccounts(service)));
  afterAll(() => service.close());

  const storedSessions = (columns: string) =>
    world.database.query(`SELECT ${columns} FROM console_sessions WHERE account_id = $1`, [world.acme.id]);

  it('needs a link and one click', async () => {
    const { pathname } = new URL(await invite(world, 'viewer', 'vera@acme.example'));
    const browser = browserAt(world);
    await browser
      .get('/console')
      .expect(401)
      .expect(/Sign in/);
    await browser
      .get(pathname)
      .expect(200)
      .expect(/<script type="module" src="[^"]+".*<button[^>]*>Sign in/);
    const { headers } = await browser.post(pathname).expect(303).expect('Location', '/console');
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^console=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/),
    ]);
    await browser
      .get('/console')
      .expect(200)
      .expect(/vera@acme\.example/);
  });

  it('uses up a link only once, and only by a POST', async () => {
    const { pathname } = new URL(await invite(world, 'viewer'));
    await world.anyone.head(pathname).expect(200);
    await world.anyone.get(pathname).expect(200);
    await browserAt(world).post(pathname).expect(303);
    await browserAt(world)
      .post(pathname)
      .expect(403)
      .expect(/no longer works/);
  });

  it('signs in by a repeated click once, whichever response the browser keeps', async () => {
    const { pathname } = new URL(await invite(world, 'viewer'));
    const browser = browserAt(world);
    await browser.get(pathname).expect(200);
    const responses = await Promise.all([browser.post(pathname), browser.post(pathname)]);
    responses.push(await browser.post(pathname));
    const cookies = responses.map(({ headers }) => headers['set-cookie']![0]);
    expect(new Set(cookies).size).toBe(1);
    expect(responses.map(({ status }) => status)).toEqual([303, 303, 303]);
    await browser.get('/console').expect(200);
    expect(await storedSessions('')).toHaveLength(1);
  });

  it('repeats a sign-in only in the browser with the page of the link, for a minute, until it has ended', async () => {
    const { pathname } = new URL(await invite(world, 'viewer'));
    const browser = browserAt(world);
    await browser.get(pathname).expect(200);
    await browser.post(pathname).expect(303);
    const thief = browserAt(world);
    await thief.get(pathname).expect(200);
    await thief.post(pathname).expect(403);
    await world.database.query(
      `UPDATE console_sessions SET signed_in_at = signed_in_at - interval '1 minute'`,
    );
    await browser.post(pathname).expect(403);
    await world.database.query(`UPDATE console_sessions SET signed_in_at = now()`);
    await browser.post(pathname).expect(303);
    await browser.post('/console/sign-out').expect(303);
    await browser.post(pathname).expect(403);
  });

  it('keeps a link that could start no session', async () => {
    const { pathname } = new URL(await invite(world, 'viewer'));
    await world.database.query('ALTER TABLE console_sessions RENAME TO unavailable');
    await browserAt(world).post(pathname).expect(503);
    await world.database.query('ALTER TABLE unavailable RENAME TO console_sessions');
    await browserAt(world).post(pathname).expect(303);
  });

  it('lets an admin sign somebody out whose link is being used', async () => {
    const { pathname } = new URL(await invite(world, 'viewer'));
    const person = await world.database.lockRow('people', `account_id = ${world.acme.id}`);
    const response = browserAt(world)
      .post(pathname)
      .then(({ status }) => status);
    await world.database.untilWaiting();
    await world.database.query('DELETE FROM sign_in_links WHERE account_id = $1', [world.acme.id]);
    await person.release();
    expect(await response).toBe(403);
    expect(await storedSessions('')).toHaveLength(0);
  });

  it('lets an admin invite somebody who is being removed at the same time', async () => {
    const admin = await signIn(world, 'admin');
    await invite(world, 'editor', 'gone@acme.example');
    const find = () =>
      world.database.query<{ id: string; role: string }>(
        `SELECT id, role FROM people WHERE account_id = $1 AND email = 'gone@acme.example'`,
        [world.acme.id],
      );
    const [removed] = await find();
    const person = await world.database.lockRow('people', `id = '${removed!.id}'`);
    const removal = admin.post(`/console/people/${removed!.id}/remove`).then(({ status }) => status);
    await world.database.untilWaiting();
    const invitation = invite(world, 'viewer', 'gone@acme.example');
    await world.database.untilWaiting(2);
    await person.release();
    expect(await removal).toBe(303);
    await browserAt(world)
      .post(new URL(await invitation).pathname)
      .expect(303);
    const [invited] = await find();
    expect(invited!.role).toBe('viewer');
    expect(invited!.id).not.toBe(removed!.id);
  });

  it('lets only one of two admins remove the other, so that one is left', async () => {
    const [one, other] = [await signIn(world, 'admin', 'one@acme.example'), await signIn(world, 'admin')];
    const findAdmins = () =>
      world.database.query<{ id: string; email: string }>(
        `SELECT id, email FROM people WHERE account_id = $1 ORDER BY email DESC`,
        [world.acme.id],
      );
    const [first, second] = await findAdmins();
    const people = await world.database.lockRow('people', `account_id = ${world.acme.id}`);
    const removals = [
      one.post(`/console/people/${second!.id}/remove`),
      other.post(`/console/people/${first!.id}/role`).send({ role: 'viewer' }),
    ].map((removal) => removal.then(({ status }) => status));
    await world.database.untilWaiting(2);
    await people.release();
    expect((await Promise.all(removals)).toSorted()).toEqual([303, 403]);
    expect(await findAdmins()).not.toHaveLength(0);
  });

  it('shows no form that leads to another page than the one for signing in', async () => {
    for (const path of ['..%2Ftopics%2Fnews%2Farchive', '..%2f..%2fconsole%2fsign-out', 'x']) {
      const { text } = await world.anyone.get(`/console/sign-in/${path}`).expect(403);
      expect(text).not.toContain('<form');
    }
  });

  it('refuses a link after 15 minutes', async () => {
    const { pathname } = new URL(await invite(world, 'viewer'));
    await world.database.query(`UPDATE sign_in_links SET expires_at = expires_at - interval '15 minutes'`);
    await browserAt(world).post(pathname).expect(403);
  });

  it('stores neither the token of a link nor that of a session', async () => {
    const { pathname } = new URL(await invite(world, 'viewer'));
    const link = pathname.split('/').at(-1)!;
    const hashesIn = (table: string) =>
      world.database.query(
        `SELECT encode(token_hash, 'escape') AS hash FROM ${table} WHERE account_id = $1`,
        [world.acme.id],
      );
    const links = await hashesIn('sign_in_links');
    expect(links).toHaveLength(1);
    expect(JSON.stringify(links)).not.toContain(link);
    const { headers } = await browserAt(world).post(pathname);
    const session = /=([\w-]+)/.exec(headers['set-cookie']![0]!)![1]!;
    const sessions = await hashesIn('console_sessions');
    expect(sessions).toHaveLength(1);
    expect(JSON.stringify(sessions)).not.toContain(session);
  });

  it('ends when the person signs out', async () => {
    const browser = await signIn(world, 'viewer');
    const { headers } = await browser.post('/console/sign-out').expect(303);
    expect(headers['set-cookie']![0]).toMatch(/^console=; Path=\/; Max-Age=0;/);
    expect(headers['set-cookie']![1]).toMatch(/^console-change=; Path=\/; Max-Age=0;/);
    await browser.get('/console').expect(401);
    expect(await storedSessions('')).toHaveLength(0);
    await browser.post('/console/sign-out').expect(303).expect('Location', '/console/sign-in');
  });

  it('ends 12 hours after the last use, and 7 days after the sign-in', async () => {
    const [idle, old] = [await signIn(world, 'viewer'), await signIn(world, 'admin')];
    await world.database.query(
      `UPDATE console_sessions SET last_seen_at = now() - interval '12 hours' WHERE person_id =
        (SELECT id FROM people WHERE account_id = $1 AND role = 'viewer')`,
      [world.acme.id],
    );
    await idle.get('/console').expect(401);
    await old.get('/console').expect(200);
    await world.database.query(`UPDATE console_sessions SET signed_in_at = now() - interval '7 days'`);
    await old.get('/console').expect(401);
  });

  it('records the last use, so that a session in use continues', async () => {
    const browser = await signIn(world, 'viewer');
    await world.database.query(`UPDATE console_sessions SET last_seen_at = now() - interval '11 hours'`);
    await browser.get('/console').expect(200);
    const [session] = await storedSessions(`last_seen_at > now() - interval '1 minute' AS recent`);
    expect(session).toEqual({ recent: true });
  });

  it('says which command of the operator makes a link, when a change needs a recent sign-in', async () => {
    const admin = await signIn(world, 'admin');
    await ageSignIns(world);
    const { text } = await admin.post('/console/api-keys').send({ name: 'mailer' }).expect(403);
    const command = `console invite admin@acme.example --account ${world.acme.name}`;
    expect(text).toContain(`npm run cli -- ${command}`);
    expect(text).toContain(`node dist/src/cli/main.js ${command}`);
  });

  it('deletes ended sessions and expired links, even of people who never come back', async () => {
    await signIn(world, 'viewer');
    await invite(world, 'viewer');
    await world.app.get(SignInSweep).run();
    expect(await storedSessions('')).toHaveLength(1);
    await world.database.query(`UPDATE console_sessions SET last_seen_at = now() - interval '12 hours'`);
    await world.database.query(`UPDATE sign_in_links SET expires_at = now()`);
    const admin = await signIn(world, 'admin');
    expect((await admin.get('/console/people').expect(200)).text).toMatch(
      /viewer@[^<]*<\/th><td[^>]*>Viewer<\/td><td[^>]*>No</,
    );
    await world.app.get(SignInSweep).run();
    expect(await storedSessions('')).toHaveLength(1);
    expect(await world.database.query('SELECT FROM sign_in_links')).toEqual([]);
  });

  it('does not open the console of an account that is not admitted', async () => {
    const browser = await signIn(world, 'admin');
    await world.database.query(`UPDATE accounts SET beta_admitted_at = NULL WHERE id = $1`, [world.acme.id]);
    await browser
      .get('/console')
      .expect(403)
      .expect(/private beta/);
    await browser.post('/console/sign-out').expect(303);
    await browser.get('/console').expect(401);
  });

  it('refuses forms of other sites', async () => {
    const browser = await signIn(world, 'viewer');
    const { host, origin } = new URL(world.url);
    const post = (headers: Record<string, string>) =>
      browser.post('/console/sign-out').unset('Sec-Fetch-Site').set(headers);
    await post({ 'Sec-Fetch-Site': 'cross-site' })
      .expect(403)
      .expect(/did not come from a page of the console/);
    await post({ 'Sec-Fetch-Site': 'same-site' }).expect(403);
    await post({ 'Sec-Fetch-Site': 'cross-site', Origin: origin }).expect(403);
    await post({ Origin: 'https://evil.example' }).expect(403);
    await post({ Origin: 'null' }).expect(403);
    await post({}).expect(403);
    await browser.get('/console').expect(200);
    await post({ Origin: `http://${host}` }).expect(303);
  });

  it('forbids inline scripts and styles, and frames', async () => {
    const { headers } = await (await signIn(world, 'viewer')).get('/console').expect(200);
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; script-src 'self'; connect-src 'self'",
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
  });

  it('accepts no API key in place of a session, and no session in place of a key', async () => {
    await world.as(world.alice).get('/console').expect(401);
    await (await signIn(world, 'admin')).get('/suppressions').expect(401);
  });

  it('requires HTTPS, except on loopback', async () => {
    const { pathname } = new URL(await invite(world, 'viewer'));
    await browserAt(world)
      .post(pathname)
      .set('Host', 'lists.example.com')
      .expect(403)
      .expect(/needs HTTPS/);
    await browserAt(world).post(pathname).expect(303);
  });
});

describe('many attempts to sign in', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it('are not counted when the service failed', async () => {
    const { pathname } = new URL(await invite(world, 'viewer'));
    await world.database.query('ALTER TABLE console_sessions RENAME TO unavailable');
    for (let attempt = 0; attempt < 11; attempt++) {
      await browserAt(world).post(pathname).expect(503);
    }
    await world.database.query('ALTER TABLE unavailable RENAME TO console_sessions');
    await browserAt(world).post(pathname).expect(303);
  });

  it('are limited to ten at a time, without locking anybody out afterwards', async () => {
    const links = await Promise.all(
      Array.from({ length: 22 }, (_, index) => invite(world, 'viewer', `vera${index}@acme.example`)),
    );
    const press = (link: string) => browserAt(world).post(new URL(link).pathname);
    const people = await world.database.lockRow('people', `account_id = ${world.acme.id}`);
    const refused: string[] = [];
    const presses = links.map(async (link) => {
      const { status } = await press(link);
      if (status === 429) {
        refused.push(link);
      }
      return status;
    });
    await until(() => refused.length === 12);
    await people.release();
    expect((await Promise.all(presses)).filter((status) => status === 303)).toHaveLength(10);
    for (const link of refused) {
      await press(link).expect(303);
    }
  });

  it('are limited for a network', async () => {
    for (let attempt = 0; attempt < 10; attempt++) {
      await browserAt(world)
        .post(`/console/sign-in/${'x'.repeat(43)}`)
        .expect(403);
    }
    const { pathname } = new URL(await invite(world, 'viewer'));
    await browserAt(world)
      .post(pathname)
      .expect(429)
      .expect('Retry-After', /^\d+$/)
      .expect(/Try again/);
  });
});

describe('the console behind HTTPS', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld({ BASE_URL: 'https://lists.example.com' })));
  afterAll(() => world.close());

  it('sets a cookie that no other host and no plain HTTP can set', async () => {
    const { pathname } = new URL(await invite(world, 'viewer'));
    const { headers } = await request(world.url)
      .post(pathname)
      .set('Origin', 'https://lists.example.com')
      .expect(303);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(
        /^__Host-console=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ]);
    const cookie = headers['set-cookie']![0]!.split(';')[0]!;
    await request(world.url).get('/console').set('Cookie', cookie).expect(200);
    await request(world.url).get('/console').set('Cookie', cookie.replace('__Host-', '')).expect(401);
  });
});

describe('console invite', () => {
  let world: World;
  let folder: string;
  beforeAll(async () => {
    world = await createWorld();
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-console-'));
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  const cli = (line: string) =>
    runCommand(
      line.split(' '),
      { DATABASE_URL: world.database.url, BASE_URL: 'http://127.0.0.1:3000' },
      folder,
    );

  it('prints a link that opens the console', async () => {
    const { code, stdout } = await cli('console invite Ada@Example.com --account acme --role admin');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/console\/sign-in\/[\w-]{43}\n$/),
    });
    const browser = browserAt(world);
    await browser.post(new URL(stdout.trim()).pathname).expect(303);
    await browser
      .get('/console')
      .expect(200)
      .expect(/ada@example\.com.*\(admin\)/s);
  });

  it('prints a link to this machine where the service listens on all its addresses', async () => {
    const settings = { DATABASE_URL: world.database.url, HOST: '0.0.0.0', PORT: '3000' };
    const command = ['console', 'invite', 'eve@example.com', '--account', 'acme'];
    const { stdout, problems } = await runCommand(command, settings, folder);
    expect(problems).toEqual([
      expect.stringMatching(/^Send this link to eve@example\.com\. .* the role viewer/),
    ]);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:3000\/console\/sign-in\//);
  });

  it('makes a new person a viewer, and keeps the role of a known one', async () => {
    const invited = async (line: string) => JSON.parse((await cli(line)).stdout) as Record<string, string>;
    const existing = await invited('console invite bob@example.com --account acme --role editor --json');
    const again = await invited('console invite bob@example.com --account acme --json');
    const fresh = await invited('console invite new@example.com --account acme --json');
    expect([existing.role, again.role, fresh.role]).toEqual(['editor', 'editor', 'viewer']);
  });

  it.each([
    ['console invite ada --account acme', 2, /It must contain an @/],
    ['console invite ada@example.com', 2, /--account/],
    ['console invite ada@example.com --account nobody', 3, /No account is named nobody/],
    ['console invite ada@example.com --account acme --role owner', 2, /viewer, editor, admin/],
  ])('refuses: %s', async (line, code, problem) => {
    const ended = await cli(line);
    expect(ended).toMatchObject({ code, stdout: '', problems: [expect.stringMatching(problem)] });
  });
});
