import type { Agent } from 'supertest';
import { SCOPES } from '../../src/api-keys/scopes.js';
import { STYLESHEET } from '../../src/console/styles/stylesheet.js';
import { ExpirySweep } from '../../src/suppressions/expiry-sweep.js';
import { browserAt, invite, signIn } from '../support/console.js';
import { importFile } from '../support/imports.js';
import { createSource, postWithCredential, type TestSource } from '../support/sources.js';
import { until } from '../support/until.js';
import { LOOPBACK, TestWebhook } from '../support/webhooks.js';
import { createKey, createWorld, setCause, suppress, type World } from '../support/world.js';

/** Bytes. */
const CSS = STYLESHEET.text.length;
const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`;

describe('the pages of the console', () => {
  let world: World;
  let admin: Agent;
  let stranger: Agent;
  let webhook: TestWebhook | undefined;
  beforeAll(async () => {
    world = await createWorld(LOOPBACK);
    admin = await signIn(world, 'admin');
    stranger = await signIn(world, 'admin', 'admin@globex.example', 'globex');
  });
  afterAll(async () => {
    await webhook?.endpoint.close();
    await world.close();
  });

  const pageAt = async (path: string, browser = admin): Promise<string> =>
    (await browser.get(path).expect(200)).text;

  /** The path that the first link with this text on a page leads to. */
  const linkOf = (page: string, text: string): string =>
    new RegExp(`href="([^"]+)"[^>]*>${text}<`).exec(page)![1]!.replaceAll('&amp;', '&');

  /** The values that the forms of a page send as those that they showed. */
  function shownIn(page: string): Record<string, string[]> {
    const shown: Record<string, string[]> = {};
    for (const [, name, value = ''] of page.matchAll(/name="(shown_\w+)"(?: value(?:="([^"]*)")?)?/g)) {
      (shown[name!] ??= []).push(value);
    }
    return shown;
  }

  /** A row of a table of numbers. */
  const rowOf = (name: string, numbers: number[]): string =>
    numbers.reduce(
      (row, number) => `${row}<td class="number">${number}</td>`,
      `<th scope="row">${name}</th>`,
    );

  /** The overview, once everything on it is counted. */
  async function countedOverview(browser: Agent): Promise<string> {
    let page = '';
    await until(async () => {
      page = await pageAt('/console/overview', browser);
      return !page.includes('data-running');
    });
    return page;
  }

  it('have an icon, which browsers keep', async () => {
    const icon = /<link rel="icon" type="image\/svg\+xml" href="([^"]+)"/.exec(await pageAt('/console'))![1]!;
    const { headers } = await world.anyone
      .get(icon)
      .expect(200)
      .expect('Content-Type', /image\/svg\+xml/);
    expect(headers['cache-control']).toContain('immutable');
  });

  it('link to the guides', async () => {
    const guides = linkOf(await pageAt('/console'), 'Guides');
    expect((await admin.get(guides).expect(200)).text).toMatch(/^# Documentation/);
  });

  it('answer a malformed path with a page', async () => {
    const { text } = await admin
      .get('/console/%zz')
      .expect(400)
      .expect('Content-Type', /text\/html/);
    expect(text).toContain('check the percent-encoding of its path');
    expect(text).toMatch(/<title>Something went wrong\b/);
  });

  it('list suppressions by filter and page, and export them', async () => {
    await suppress(
      world,
      world.alice,
      Array.from({ length: 60 }, (_, index) => `listed${String(index).padStart(2, '0')}@list.example`),
    );
    await suppress(world, world.alice, ['other@example.com']);
    const first = await pageAt('/console/list?domain=list.example');
    expect(first).toContain('<option value="manual">Added by hand, or unsubscribe</option>');
    expect(first.match(/>listed\d\d@list\.example</g)).toHaveLength(50);
    expect(first).not.toContain('other@example.com');
    const older = /href="([^"]+after=[^"]+)"/.exec(first)![1]!.replaceAll('&amp;', '&');
    const second = await pageAt(older);
    expect(second.match(/>listed\d\d@list\.example</g)).toHaveLength(10);
    expect(second).toContain('← Newer');
    const gone = await pageAt(older.replace('list.example', 'no.example'));
    expect(gone).toContain(
      'Nothing is left on this page. <a href="/console/list?domain=no.example">Go to the first page</a>',
    );
    expect(first).toContain('action="/console/list/export"');
    expect(first).toContain('name="account" value="acme"');
    const viewer = await signIn(world, 'viewer', 'viewer@acme.example');
    expect((await viewer.get('/console/list').expect(200)).text).not.toContain('/console/list/export');
    const { text: csv } = await admin.get('/console/list/export?domain=list.example&format=csv').expect(200);
    expect(csv.trim().split('\n')).toHaveLength(61);
    await suppress(world, world.alice, ['=formula@list.example']);
    for (const path of [
      '/console/list/export',
      '/console/list/export?format=csv',
      '/console/list/export?format=',
    ]) {
      expect((await admin.get(path).expect(200)).text).toContain(",'=formula@list.example,");
    }
    await world.as(world.alice).delete('/suppressions/=formula@list.example').expect(200);
    await world.anyone
      .get('/console/list/export?format=csv')
      .expect(401)
      .expect('Content-Type', /text\/html/);
    await importFile(
      world,
      world.alice,
      'email,created_at\nmidnight@day.example,2025-03-01\nbefore@day.example,2025-02-28T23:59:59.999Z\n',
    );
    for (const path of ['/console/list?', '/console/list/export?']) {
      const { text: day } = await admin
        .get(`${path}created_after=2025-03-01&created_before=2025-03-02`)
        .expect(200);
      expect(day).toContain('midnight@day.example');
      expect(day).not.toContain('before@day.example');
    }
    expect(await pageAt('/console/list?domain=no.example')).toContain('No matching suppressions.');
    expect(await pageAt('/console/list', stranger)).toContain('The list is empty.');
    await setCause(world, (await suppress(world, world.alice, ['bounced@list.example']))[0]!, 'bounce', null);
    const { text: bounces } = await admin
      .get('/console/list/export?domain=list.example&cause=bounce&format=mailgun')
      .expect(200);
    expect(bounces).toContain('bounced@list.example');
    expect(bounces.trim().split('\n')).toHaveLength(2);
    await admin
      .get('/console/list/export?domain=list.example&format=mailgun')
      .expect(400)
      .expect(/“Cause” must be bounce, complaint, or unsubscribe in an export for Mailgun\./);
    const bounced = await pageAt('/console/list?cause=bounce&domain=list.example');
    expect(bounced.match(/>(?:listed\d\d|bounced)@list\.example</g)).toEqual(['>bounced@list.example<']);
    expect(bounced).toContain('Addresses with the cause “Bounce”, even if it is not their strongest.');
    await admin
      .get('/console/list?cause=spam')
      .expect(400)
      .expect(/“Cause” must be one of the options\./);
    await admin.get('/console/list?domain=%20').expect(200);
    const { text: withSpace } = await admin.get('/console/list?created_after=2026-01-15%2009:30').expect(400);
    expect(withSpace).not.toContain('%2B');
    await admin
      .get('/console/list?created_after=yesterday')
      .expect(400)
      .expect(/“From \(UTC\)” must be a date/);
    await admin
      .get('/console/list?after=zzz')
      .expect(400)
      .expect(/There is no such page: go back to the first one/);
    expect(await pageAt('/console/list?cause=bounce&domain=@list.example')).toContain(
      '>bounced@list.example<',
    );
    const { text: refused } = await admin.get('/console/list?domain=a@list.example').expect(400);
    expect(refused).toContain('“a@list.example” is not a domain. Enter one such as example.com.');
    expect(refused).not.toContain('Download');
  });

  it('name the fields of the audit log as its filter does', async () => {
    await admin
      .get(`/console/audit-log?action=none&actor=${'a'.repeat(321)}`)
      .expect(400)
      .expect(/“Who” must have at most 320 characters\. “What” must be one of the options\./);
  });

  it('create, change and archive topics', async () => {
    const created = await admin
      .post('/console/topics')
      .send({
        name: HOSTILE.slice(0, 50),
        description: '',
        key: 'shop-news',
        default_subscription: 'opt_in',
        visibility: 'public',
      })
      .expect(303);
    const path = new URL(created.headers.location!, world.url).pathname;
    expect(await pageAt(path)).not.toMatch(/<script>/);
    await stranger.get(path).expect(404);
    await stranger.post(`${path}/archive`).expect(404);
    await admin.post(path).send({ name: 'Shop', description: 'Monthly', visibility: 'private' }).expect(303);
    expect(await pageAt('/console/topics')).toContain('>Shop</a>');
    await admin.post(path).send({ name: '' }).expect(303);
    const { text } = await admin
      .post('/console/topics')
      .send({ name: 'x'.repeat(51), default_subscription: 'opt_in' })
      .expect(400);
    expect(text).toContain('“Name” must have 1 to 50 characters');
    expect(text).toContain('x'.repeat(51));
    expect(await pageAt('/console/topics/archived')).not.toContain('shop-news');
    const again = { name: 'Shop', key: 'shop-news', default_subscription: 'opt_in' };
    await admin
      .post('/console/topics')
      .send(again)
      .expect(409)
      .expect(/another topic has this key\. Enter another one, or leave it empty\./);
    await admin.post(`${path}/archive`).expect(303);
    await admin
      .get(path)
      .expect(404)
      .expect(/or is archived: see “Archived topics” under Topics\./);
    expect(await pageAt('/console/topics/archived')).toContain(`action="${path}/restore?`);
    await admin
      .post('/console/topics')
      .send(again)
      .expect(409)
      .expect(/Restore it under “Archived topics”, or enter another key\./);
    await stranger.post(`${path}/restore`).expect(404);
    await admin.post(`${path}/restore`).expect(303);
    expect(await pageAt(path)).toContain('Shop');
    await admin.post(`${path}/archive`).expect(303);
  });

  it('create and delete rules in the name of the person', async () => {
    await admin
      .post('/console/rules')
      .send({ pattern: '*.rival.example', effect: 'block', note: HOSTILE })
      .expect(303);
    const page = await pageAt('/console/rules');
    expect(page).toContain('*.rival.example');
    expect(page).toContain(
      'No rule overrides a suppression that was added by hand, or what the recipient decided',
    );
    expect(page).not.toMatch(/<script>|<img/);
    const { body } = await world.as(world.alice).get('/rules/*.rival.example/history').expect(200);
    expect(body.data[0].actor).toMatchObject({ type: 'person', name: 'admin@acme.example' });
    const path = `${linkOf(page, '<code>\\*\\.rival\\.example<\\/code>')}/delete`;
    await stranger.post(path).expect(404);
    await admin
      .post('/console/rules')
      .send({ pattern: 'a b', effect: 'block' })
      .expect(400)
      .expect(/value="a b"/);
    const rule = path.replace('/delete', '');
    expect(await pageAt(rule)).toMatch(/Created.*Block.*by admin@acme\.example/s);
    await stranger.get(rule).expect(404);
    await admin.post(path).expect(303);
    await admin.get(rule).expect(404);
    expect(await pageAt('/console/rules')).toContain('No rules yet.');
  });

  it('delete no rule that was replaced after the page was opened', async () => {
    const rule = { pattern: 'replaced.example', effect: 'block', note: 'Said “so”' };
    const { body } = await world.as(world.alice).post('/rules').send(rule).expect(201);
    const path = `/console/rules/${body.id}`;
    const shownAt = async () => {
      const [, shown] = /name="shown" value="([^"]*)"/.exec(await pageAt(path))!;
      return { shown: shown!.replaceAll('&quot;', '"') };
    };
    const old = await shownAt();
    await world
      .as(world.alice)
      .post('/rules')
      .send({ ...rule, effect: 'allow' })
      .expect(200);
    await admin
      .post(`${path}/delete`)
      .send(old)
      .expect(409)
      .expect(/Nothing was deleted, because the rule was replaced .*>Allow</s);
    await admin
      .post(`${path}/delete`)
      .send(await shownAt())
      .expect(303);
    await admin.post(`${path}/delete`).send(old).expect(404);
  });

  it('ask for confirmation before saving a rule that matches all domains of a registry', async () => {
    const rule = { pattern: '*.COM', effect: 'block', note: 'Why' };
    const { text } = await admin.post('/console/rules').send(rule).expect(200);
    expect(text).toMatch(/Block \*\.com\?.*every domain that ends in \.com.*password resets included/s);
    expect(await pageAt('/console/rules')).toContain('No rules yet.');
    const fields = [...text.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const confirmed = Object.fromEntries(fields.map(([, name, value]) => [name, value]));
    expect(confirmed).toEqual({ ...rule, confirmed: 'true' });
    await admin.post('/console/rules').send(confirmed).expect(303);
    const path = linkOf(await pageAt('/console/rules'), '<code>\\*\\.com<\\/code>');
    await admin.post(`${path}/delete`).expect(303);
    await admin
      .post('/console/rules')
      .send({ pattern: 'com', effect: 'allow' })
      .expect(200)
      .expect(/Allow com\?.*only addresses such as ada@com/is);
    const refused = /Block \*\.co\.uk\?.*every domain that ends in \.co\.uk/s;
    await admin.post('/console/rules').send({ pattern: '*.co.uk', effect: 'block' }).expect(200, refused);
    for (const pattern of ['web.de', '*.rival.uk', '*.info.example', 'org.rival.uk']) {
      await admin.post('/console/rules').send({ pattern, effect: 'block' }).expect(303);
      await admin.post(`/console/rules/${pattern}/delete`).expect(303);
    }
  });

  it('say that a rule for a topic changes only the email about it', async () => {
    const topic = { name: 'Regional', key: 'regional', default_subscription: 'opt_in' };
    const { body } = await world.as(world.alice).post('/topics').send(topic).expect(201);
    await admin
      .post('/console/rules')
      .send({ pattern: '*.com', effect: 'allow', topic: 'regional' })
      .expect(200)
      .expect(/A bounce would no longer stop any email about regional to these addresses\./);
    for (const [effect, deletion] of [
      ['allow', 'From then on, a bounce also stops email about Regional to the addresses that it matches.'],
      ['block', 'From then on, the addresses that it matches get email about Regional, unless'],
    ] as const) {
      const rule = { pattern: 'rival.example', effect, topic: 'regional' };
      const { id } = (await world.as(world.alice).post('/rules').send(rule)).body;
      expect(await pageAt(`/console/rules/${id}`)).toContain(deletion);
      await admin.post(`/console/rules/${id}/delete`).expect(303);
    }
    await admin.post(`/console/topics/${body.id}/archive`).expect(303);
  });

  it('create, rotate and revoke API keys', async () => {
    const create = (form: object) => admin.post('/console/api-keys').send(form);
    await create({ name: 'mailer' })
      .expect(400)
      .expect(/Choose what the key may do/);
    for (const days of ['366', '0', 'soon', '1e2']) {
      await create({ name: 'mailer', scopes: ['suppressions:read'], days })
        .expect(400)
        .expect(/Choose a lifetime/);
    }
    const { text } = await create({
      name: 'mailer',
      scopes: ['suppressions:read', 'events:write'],
      days: '30',
    });
    const [secret] = /sup_[0-9a-f]{48}/.exec(text)!;
    await world.as(secret).get('/suppressions').expect(200);
    await world.as(secret).get('/rules').expect(401);
    const page = await pageAt('/console/api-keys');
    expect(page).not.toContain(secret);
    const { id } = (
      await world.database.query<{ id: string }>(`SELECT id FROM api_keys WHERE name = 'mailer'`)
    )[0]!;
    await stranger.post(`/console/api-keys/${id}/revoke`).expect(422);
    await stranger.post(`/console/api-keys/${id}/rotate`).expect(422);
    const rotated = await admin.post(`/console/api-keys/${id}/rotate`).expect(200);
    expect(rotated.text).toMatch(/sup_[0-9a-f]{48}/);
    const revocations = [...rotated.text.matchAll(/>(Revoke mailer \(…\w+\))</g)].map(([, button]) => button);
    expect(new Set(revocations).size).toBe(2);
    const repeated = await admin.post(`/console/api-keys/${id}/rotate`).expect(422);
    expect(repeated.text).toMatch(
      /The key mailer \(…\w+\) was already rotated\..* its successor mailer \(…\w+\)/,
    );
    await admin.post(`/console/api-keys/${id}/revoke`).expect(303);
    expect(await pageAt('/console/api-keys')).toContain('Revoked');
  });

  it('invite people whose addresses browsers refuse in a field of the type email', async () => {
    const email = 'jörg@bücher.example';
    await admin.post('/console/people').send({ email, role: 'viewer' }).expect(200);
    const page = await pageAt('/console/people');
    expect(page).toContain('jörg@xn--bcher-kva.example');
    expect(page).not.toContain('type="email"');
  });

  it('invite people, change their roles, sign them out and remove them', async () => {
    const invited = await admin
      .post('/console/people')
      .send({ email: 'new@acme.example', role: 'viewer' })
      .expect(200);
    const link = /\/console\/sign-in\/[\w-]{43}/.exec(invited.text)![0];
    expect(await pageAt('/console/people')).toContain('<option value>Keep the current role');
    const again = await admin
      .post('/console/people')
      .send({ email: 'new@acme.example', role: '' })
      .expect(200);
    const unused = /\/console\/sign-in\/[\w-]{43}/.exec(again.text)![0];
    const fresh = browserAt(world);
    await fresh.post(link).expect(303);
    await browserAt(world).post(unused).expect(403);
    const { id } = (
      await world.database.query<{ id: string }>(`SELECT id FROM people WHERE email = 'new@acme.example'`)
    )[0]!;
    const change = (what: string, form = {}) => admin.post(`/console/people/${id}/${what}`).send(form);
    await change('role', { role: 'editor' }).expect(303);
    expect(await pageAt('/console', fresh)).toContain('(editor)');
    const { text: refused } = await admin
      .post('/console/people')
      .send({ email: 'new@acme.example', role: 'viewer' })
      .expect(409);
    expect(refused).toContain('new@acme.example has signed in before');
    expect(refused).not.toMatch(/\/console\/sign-in\/[\w-]{43}/);
    expect(await pageAt('/console', fresh)).toContain('(editor)');
    await change('role', { role: 'owner' }).expect(400);
    await stranger.post(`/console/people/${id}/remove`).expect(404);
    await admin.post('/console/people/nobody/remove').expect(404);
    await change('sign-out').expect(303);
    await fresh.get('/console').expect(401);
    await fresh.post(link).expect(403);
    await change('remove').expect(303);
    expect(await pageAt('/console/people')).not.toContain('new@acme.example');
  });

  it('ask before they remove, revoke, delete or archive anything', async () => {
    await invite(world, 'viewer', 'asked@acme.example');
    const rule = { pattern: 'asked.example', effect: 'block' };
    await admin.post('/console/rules').send(rule).expect(303);
    const topic = { name: 'Asked', key: 'asked', default_subscription: 'opt_in', visibility: 'public' };
    const { headers } = await admin.post('/console/topics').send(topic).expect(303);
    for (const path of [
      '/console/people',
      '/console/api-keys',
      '/console/rules/asked.example',
      headers.location!,
    ]) {
      const page = await pageAt(path);
      const acts = /action="[^"]*\/(?:remove|sign-out|revoke|delete|archive)["?]/g;
      const own = /action="\/console\/sign-out"/g;
      expect(page.match(acts)!.length).toBeGreaterThan(page.match(own)!.length);
      let outside = page.replaceAll(own, '');
      for (let before = ''; before !== outside;) {
        before = outside;
        outside = outside.replace(/<details[^>]*>(?:(?!<details).)*?<\/details>/s, '');
      }
      expect(outside).not.toMatch(acts);
    }
    await admin.post('/console/rules/asked.example/delete').expect(303);
    await admin.post('/console/topics/asked/archive').expect(303);
  });

  it('let nobody change themselves', async () => {
    const { id } = (
      await world.database.query<{ id: string }>(`SELECT id FROM people WHERE email = 'admin@acme.example'`)
    )[0]!;
    await admin
      .post(`/console/people/${id}/role`)
      .send({ role: 'viewer' })
      .expect(400)
      .expect(/cannot change yourself/);
    await admin.post(`/console/people/${id}/remove`).expect(400);
    await admin.post('/console/people').send({ email: 'admin@acme.example', role: 'viewer' }).expect(400);
    expect(await pageAt('/console')).toContain('(admin)');
  });

  it('create a source with the instructions of its provider, show its events, and pause it', async () => {
    expect(await pageAt('/console/sources/new?provider=mail')).toContain(
      'Add a source: Your own mail server',
    );
    expect(await pageAt('/console/sources/new?provider=postmark')).toContain('Soft limit');
    const { text } = await admin
      .post('/console/sources')
      .send({ provider: 'postmark', name: HOSTILE.slice(0, 60), failures: '5', days: '1' })
      .expect(200);
    expect(text).toMatch(/In Postmark, open the message stream.*5 failures within 1 day</s);
    expect(text).not.toMatch(/<script>|<img/);
    const values = [...text.matchAll(/<dd class="copy">([^<]+)<\/dd>/g)].map(([, value]) => value!);
    const inbound = new URL(/http:[^<]+\/inbound\/[\w-]+/.exec(text)![0]).pathname;
    await world.anyone
      .post(inbound)
      .auth(values[0]!, values[1]!)
      .send({
        RecordType: 'Bounce',
        ID: 42,
        Type: 'HardBounce',
        Email: 'gone@source.example',
        Description: 'The server was unable to deliver your message',
        Details: '550 5.1.1 no such user',
        BouncedAt: '2026-01-15T09:30:00Z',
      })
      .expect(200);
    const { id } = (
      await world.database.query<{ id: string }>(`SELECT id FROM sources WHERE provider = 'postmark'`)
    )[0]!;
    const path = `/console/sources/${id}`;
    const page = await pageAt(path);
    expect(page).toMatch(/gone@source\.example.*Suppressed the address/s);
    expect(page).not.toContain(values[1]!);
    await admin.post(`${path}/pause`).expect(303);
    expect(await pageAt(path)).toContain('Paused');
    await world.anyone.post(inbound).auth(values[0]!, values[1]!).send({}).expect(503);
    await admin.post(`${path}/resume`).expect(303);
    await admin.post(`${path}/secret`).send({ name: 'password', value: 'x' }).expect(422);
    await stranger.get(path).expect(404);
    await stranger.post(`${path}/pause`).expect(404);
    await admin
      .post('/console/sources')
      .send({ provider: 'ses' })
      .expect(422)
      .expect(/Name the topics/);
    await admin.post('/console/sources').send({ provider: 'gmail' }).expect(400);
  });

  const unsubscribe = async (source: TestSource, email: string, list: number): Promise<void> => {
    const event = { event: 'unsub', time: 1_763_632_740, MessageID: 1, email, mj_list_id: list };
    expect((await postWithCredential(world, source, event)).status).toBe(200);
  };

  it('map a list of a provider to a topic, and move the opt-outs of the topic made for it', async () => {
    const source = await createSource(world, 'mailjet', { options: { contactLists: [1] } });
    const path = `/console/sources/${source.id}`;
    expect(await pageAt(path)).toContain('Create a topic</a> to map');
    await unsubscribe(source, 'reader@map.example', 7);
    expect(await pageAt(path)).toMatch(/List 7<\/th>.*mailjet list 7<\/a>.*made automatically/s);
    expect(await pageAt(path)).not.toContain('<option value="mailjet-list-7">');
    await world
      .as(world.alice)
      .post('/topics')
      .send({ name: 'Offers', default_subscription: 'opt_in' })
      .expect(201);
    const map = (form: object, browser = admin) => browser.post(`${path}/map`).send(form);
    expect(linkOf(await pageAt(path), 'Map')).toBe(`${path}?kind=list&name=7#topics`);
    await map({ kind: 'list', name: '7', topic: 'nothing' }).expect(422);
    await map({ kind: 'group', name: '7', topic: 'offers' }).expect(422);
    await map({ kind: 'list', name: '', topic: 'offers' }).expect(400);
    await map({ kind: 'list', name: '7\0', topic: 'offers' }).expect(400);
    await map({ kind: 'list', name: '7', topic: 'offers' }, stranger).expect(404);
    await map({ kind: 'list', name: '7', topic: 'offers' }).expect(303);
    const mapped = await pageAt(path);
    expect(mapped).toMatch(/List 7<\/th>.*Offers<\/a>.*By a person/s);
    expect(mapped).not.toContain('made automatically');
    const { body } = await world
      .as(world.alice)
      .post('/suppressions/check')
      .send({ emails: ['reader@map.example'], topic: 'offers' });
    expect(body.data[0].verdict).toBe('suppressed');
    expect(await pageAt('/console/topics')).not.toContain('mailjet list 7');
  });

  it('show the first 50 kinds of mail of a source, first those that nobody has mapped', async () => {
    const source = await createSource(world, 'mailjet', { options: { contactLists: [1] } });
    await unsubscribe(source, 'reader@many.example', 99);
    await world.database.query(
      `INSERT INTO source_topics (account_id, source_id, unit_kind, unit_name, topic_id, is_mapped)
      SELECT account_id, source_id, unit_kind, 'list-' || n, topic_id, true
      FROM source_topics, generate_series(10, 60) AS n
      WHERE source_id = $1`,
      [source.id],
    );
    const shown = await pageAt(`/console/sources/${source.id}`);
    const names = [...shown.matchAll(/>List ([^<]*)<\/th>/g)].map(([, name]) => name);
    expect([names.length, names[0], names[1], names.at(-1)]).toEqual([50, '99', 'list-10', 'list-58']);
    expect(shown).toContain('These are the first 50.');
    expect(shown).not.toContain('<option value="mailjet-list-99">');
  });

  it('delete a source after saying what happens, and keep what it recorded', async () => {
    const source = await createSource(world, 'mailjet');
    const path = `/console/sources/${source.id}`;
    await unsubscribe(source, 'left@delete.example', 7);
    const question = linkOf(await pageAt(path), 'Delete');
    expect(await pageAt(question)).toMatch(
      /Its URL stops accepting events.*The list keeps its suppressions/s,
    );
    await stranger.get(question).expect(404);
    await stranger.post(question).expect(404);
    await admin.post(question).expect(303).expect('Location', '/console/sources');
    expect(await pageAt('/console/sources')).toContain('Source deleted.');
    await admin.get(path).expect(404);
    expect((await postWithCredential(world, source, {})).status).toBe(404);
    expect(await pageAt('/console?q=left@delete.example')).toContain('Suppressed for');
  });

  it('show the attempts of a delivery with the responses, and delete the webhook', async () => {
    webhook = await TestWebhook.create(world, world.alice);
    webhook.endpoint.respond = (response) => response.writeHead(500).end(HOSTILE);
    await suppress(world, world.alice, ['event@hook.example']);
    await webhook.hasRecorded(1);
    const path = `/console/webhooks/${webhook.id}`;
    const failing = await pageAt(`${path}?status=pending`);
    const deliveryPath = /href="([^"]+\/deliveries\/[^"]+)"/.exec(failing)![1]!;
    const delivery = await pageAt(deliveryPath);
    expect(delivery).toMatch(
      /Waiting.*<span class="badge bad">500<.*&lt;script>alert\(1\).*event@hook\.example/s,
    );
    expect(delivery).not.toMatch(/<script>|<img/);
    webhook.endpoint.respond = (response) => response.writeHead(308, { Location: '/moved' }).end();
    await webhook.skipWaiting();
    await webhook.hasRecorded(2);
    expect(await pageAt(deliveryPath)).toContain('Redirects are not followed.');
    expect(await pageAt(`${path}?status=success`)).toContain('No deliveries with this status.');
    const question = linkOf(await pageAt(path), 'Delete');
    expect(await pageAt(question)).toContain('events that wait for another attempt are never sent');
    await stranger.get(question).expect(404);
    await stranger.post(question).expect(404);
    await admin.post(question).expect(303).expect('Location', '/console/webhooks');
    expect(await pageAt('/console/webhooks')).toContain('Webhook deleted.');
    await admin.get(path).expect(404);
  });

  it('create a webhook, test it, replay its deliveries, and disable it', async () => {
    const newWebhook = { endpoint: 'https://example.com/hook', events: ['suppression.added'] };
    const { text } = await admin.post('/console/webhooks').send(newWebhook).expect(200);
    expect(text).toMatch(/whsec_[\w+/=]+/);
    await admin
      .post('/console/webhooks')
      .send({ endpoint: 'gopher', events: [] })
      .expect(400)
      .expect(/“Endpoint” must be a URL such as [^ ]+\. Choose at least one event\./);
    const path = /\/console\/webhooks\/[\w-]{36}/.exec(text)![0];
    await admin.post(`${path}/test`).expect(303);
    expect(await pageAt(path)).toContain('webhook.test');
    const event = /deliveries\/([\w-]{36})\/replay/.exec(await pageAt(path))![1];
    await admin.post(`${path}/deliveries/${event}/replay`).expect(303);
    await admin.post(`${path}/replay`).send({ since: '2026-01-15' }).expect(303);
    await admin.post(`${path}/replay`).send({ since: 'then' }).expect(400);
    await admin
      .post(`${path}/secret`)
      .expect(200)
      .expect(/whsec_/);
    const changed = { endpoint: 'https://example.com/other', events: ['suppression.removed'] };
    await admin.post(path).send(changed).expect(303).expect('Location', path);
    expect(await pageAt(path)).toMatch(/other<\/h1>.*<dt>Events<\/dt><dd>suppression\.removed</s);
    await admin
      .post(path)
      .send({ endpoint: 'gopher', events: 'suppression.removed' })
      .expect(400)
      .expect(/<details class="act" open>.*value="gopher"/s);
    await admin.post(path).send({ endpoint: changed.endpoint }).expect(400);
    await stranger.post(path).send(changed).expect(404);
    const editor = await signIn(world, 'editor');
    await editor.post(path).send(changed).expect(403);
    expect(await pageAt(path)).toContain('Send the changes of the list again since');
    await admin.post(`${path}/disable`).expect(303);
    const disabled = await pageAt(path);
    expect(disabled).toContain('Disabled');
    expect(disabled).toContain('Events wait, and are sent when it is enabled again.');
    expect(disabled).not.toContain('again since');
    await admin
      .post(`${path}/test`)
      .expect(409)
      .expect(/The webhook is disabled\. Enable it first\.</);
    await stranger.get(path).expect(404);
    await stranger.post(`${path}/enable`).expect(404);
  });

  it('show how far a webhook is behind', async () => {
    const newWebhook = { endpoint: 'https://example.com/slow', events: ['suppression.added'] };
    const { body } = await world.as(world.alice).post('/webhooks').send(newWebhook).expect(201);
    const path = `/console/webhooks/${body.id}`;
    expect(await pageAt(path)).not.toContain('Not sent yet');
    const held = `lease_id = gen_random_uuid(), leased_until = now() + interval '1 minute'`;
    await world.database.query(`UPDATE webhooks SET ${held} WHERE id = $1`, [body.id]);
    await suppress(world, world.alice, ['behind@example.com', 'further@example.com']);
    expect(await pageAt(path)).toMatch(/Not sent yet<\/dt><dd>2 changes, the first of <time/);
  });

  it('keep all events of a webhook when only its endpoint is changed', async () => {
    const events = ['suppression.added', 'webhook.test', 'email.bounced'];
    const newWebhook = { endpoint: 'https://example.com/typo', events };
    const { body } = await world.as(world.alice).post('/webhooks').send(newWebhook).expect(201);
    const path = `/console/webhooks/${body.id}`;
    const boxes = (await pageAt(path)).match(/<input[^>]*name="events"[^>]*>/g)!;
    const checked = boxes.filter((box) => / checked/.test(box)).map((box) => /value="([^"]+)"/.exec(box)![1]);
    await admin.post(path).send({ endpoint: 'https://example.com/fixed', events: checked }).expect(303);
    const { body: saved } = await world.as(world.alice).get(`/webhooks/${body.id}`).expect(200);
    expect(saved).toMatchObject({ endpoint: 'https://example.com/fixed', events });
  });

  it('show the settings of the account to everybody, and change them for admins', async () => {
    const change = { removal: 'open', complaint_reach: 'marketing', bounce_expiry: '7d, 30d' };
    await admin.post('/console/settings').send(change).expect(303);
    expect(await pageAt('/console/settings')).toContain('value="7d, 30d"');
    const viewer = await signIn(world, 'viewer');
    expect(await pageAt('/console/settings', viewer)).toContain(
      'Expire after 7d, 30d; later ones never expire',
    );
    await admin
      .post('/console/settings')
      .send({ ...change, bounce_expiry: 'soon' })
      .expect(400)
      .expect(/value="soon"/)
      .expect(/“Bounces expire after” must be 1 to 10 periods in days/);
    await admin
      .post('/console/settings')
      .send({ ...change, bounce_expiry: '30d, 7d' })
      .expect(400)
      .expect(/“Bounces expire after” must not decrease: 7d follows 30d\./);
    expect(await pageAt('/console/settings', stranger)).not.toContain('value="7d');
  });

  it('save only the fields of a topic or a webhook that the person changed', async () => {
    const as = world.as(world.alice);
    const topic = { name: 'Stale', default_subscription: 'opt_in', visibility: 'public' };
    const hook = {
      endpoint: 'http://127.0.0.1:1/stale',
      events: ['suppression.removed', 'suppression.added'],
    };
    const { body: ofTopic } = await as.post('/topics').send(topic).expect(201);
    const { body: ofHook } = await as.post('/webhooks').send(hook).expect(201);
    const [topicPath, hookPath] = [`/console/topics/${ofTopic.id}`, `/console/webhooks/${ofHook.id}`];
    const [topicPage, hookPage] = [await pageAt(topicPath), await pageAt(hookPath)];
    await as.patch(`/topics/${ofTopic.id}`).send({ name: 'Fresh', description: 'Monthly' }).expect(200);
    await as
      .patch(`/webhooks/${ofHook.id}`)
      .send({ events: ['suppression.added'] })
      .expect(200);
    const changedTopic = { name: 'Stale', description: '', visibility: 'private' };
    await admin
      .post(topicPath)
      .send({ ...shownIn(topicPage), ...changedTopic })
      .expect(303);
    const changedHook = { endpoint: 'http://127.0.0.1:1/fresh', events: hook.events.toReversed() };
    await admin
      .post(hookPath)
      .send({ ...shownIn(hookPage), ...changedHook })
      .expect(303);
    const { body: savedTopic } = await as.get(`/topics/${ofTopic.id}`).expect(200);
    expect(savedTopic).toMatchObject({ name: 'Fresh', description: 'Monthly', visibility: 'private' });
    const { body: savedHook } = await as.get(`/webhooks/${ofHook.id}`).expect(200);
    expect(savedHook).toMatchObject({ endpoint: 'http://127.0.0.1:1/fresh', events: ['suppression.added'] });
    const emptied = {
      ...shownIn(await pageAt(topicPath)),
      name: 'Fresh',
      description: '',
      visibility: 'private',
    };
    await admin.post(topicPath).send(emptied).expect(303);
    expect((await as.get(`/topics/${ofTopic.id}`)).body).toMatchObject({ name: 'Fresh', description: null });
  });

  it('save only the settings that the person changed, whatever became of the others meanwhile', async () => {
    const as = world.as(world.alice);
    await as
      .patch('/account')
      .send({ removal: 'open', bounce_expiry: ['7d'] })
      .expect(200);
    const opened = await pageAt('/console/settings');
    const hidden = [...opened.matchAll(/name="shown_(\w+)"(?: value(?:="([^"]*)")?)?/g)];
    expect(hidden).toHaveLength(7);
    const form = Object.fromEntries(
      hidden.flatMap(([, name, value = '']) => [
        [name, value],
        [`shown_${name}`, value],
      ]),
    );
    await as.patch('/account').send({ removal: 'guarded', bounce_expiry: null }).expect(200);
    const refused = { ...form, inbox_retention: '1d' };
    await admin
      .post('/console/settings')
      .send(refused)
      .expect(400)
      .expect(/name="shown_removal" value="open"/);
    const { bounce_expiry: entered, shown_bounce_expiry: _shown, ...withoutShown } = form;
    expect(entered).toBe('7d');
    const { text: again } = await admin
      .post('/console/settings')
      .send({ ...withoutShown, bounce_expiry: '', inbox_retention: '1d' })
      .expect(400);
    expect(shownIn(again)).not.toHaveProperty('shown_bounce_expiry');
    await admin
      .post('/console/settings')
      .send({ ...form, inbox_retention: '45d' })
      .expect(303);
    const { body } = await as.get('/account');
    expect(body).toMatchObject({ removal: 'guarded', bounce_expiry: null, inbox_retention: '45d' });
    await as.patch('/account').send({ removal: 'open', inbox_retention: null }).expect(200);
  });

  it('give an overview of what was added and removed, by cause, with the numbers in a table', async () => {
    const browser = await signIn(world, 'viewer', 'v@globex.example', 'globex');
    await suppress(world, world.charlie, ['a@busy.example', 'b@busy.example', 'c@calm.example']);
    await suppress(world, world.charlie, ['d@bücher.example']);
    await world.as(world.charlie).delete('/suppressions/c@calm.example').expect(200);
    const page = await countedOverview(browser);
    expect(page).toContain('3 suppressed addresses');
    expect(page).toContain('<a href="/console/list?domain=xn--bcher-kva.example">bücher.example</a>');
    expect(page).toMatch(/busy\.example<\/a><\/th><td class="number"[^>]*>2</);
    const day = new Date().toISOString().slice(0, 10);
    expect(page).toContain(rowOf(day, [0, 4, 0, 0, 0, 1, 0, 0]));
    expect(page.match(/<rect class="manual/g)).toHaveLength(3);
  });

  it('count a record as removed once, and only when its last cause has expired', async () => {
    const key = await createKey(world, [...SCOPES], 'hooli');
    const browser = await signIn(world, 'viewer', 'v@hooli.example', 'hooli');
    const emails = ['gone@hooli.example', 'twice@hooli.example', 'kept@hooli.example'];
    await world
      .as(key)
      .post('/suppressions/batch/add')
      .send({ emails, expires_at: '2999-01-01' })
      .expect(201);
    const reports = [
      { type: 'bounce', email: 'twice@hooli.example', diagnostic: '550 5.1.1 User unknown' },
      { type: 'unsubscribe', email: 'kept@hooli.example' },
    ];
    await world.as(key).post('/events').send(reports).expect(200);
    await world.database.query(
      `UPDATE suppressions SET expires_at = now() - interval '1 second' WHERE email LIKE '%@hooli.example'`,
    );
    await world.app.get(ExpirySweep).run();
    const { body } = await world.as(key).get('/suppressions').expect(200);
    expect(body.data.map(({ email }: { email: string }) => email)).toEqual(['kept@hooli.example']);
    const page = await countedOverview(browser);
    expect(page).toContain('<h2>1 suppressed address</h2>');
    const day = new Date().toISOString().slice(0, 10);
    expect(page).toContain(rowOf(day, [0, 3, 0, 0, 0, 2, 0, 0]));
  });

  it('show an overview at once, and the counts as soon as they are known', async () => {
    await createKey(world, [...SCOPES], 'initech');
    const browser = await signIn(world, 'viewer', 'v@initech.example', 'initech');
    const ledger = await world.database.lock('suppression_changes');
    const { text, headers } = await browser.get('/console/overview').expect(200);
    await ledger.release();
    expect(text).toMatch(/Added and removed in 30 days<\/h2><p class="empty">Counting…</);
    expect(text).toContain('No silent sources.');
    expect(text).toContain('<script type="module" src="/console/console.js');
    expect(text).toContain('<noscript><meta http-equiv="refresh"');
    expect(headers['content-security-policy']).toContain("script-src 'self'");
    const counted = await countedOverview(browser);
    expect(counted).toMatch(/0 suppressed addresses.*Counted <time.*Show as a table.*Counted <time/s);
    expect(counted).not.toContain('http-equiv="refresh"');
  });

  it.each([
    [
      'topics',
      `INSERT INTO topics (account_id, key, name, default_subscription, visibility)
      SELECT id, 'many-' || n, 'many ' || n, 'opt_in', 'public' FROM accounts`,
    ],
    [
      'rules',
      `INSERT INTO rules (account_id, pattern, effect) SELECT id, 'many' || n || '.example', 'block' FROM accounts`,
    ],
    [
      'api-keys',
      `INSERT INTO api_keys (account_id, id, name, prefix, secret_hash, scopes)
      SELECT id, uuid_v7(), 'many ' || n, 'sup_', sha256(n::text::bytea), '{rules:read}' FROM accounts`,
    ],
    [
      'people',
      `INSERT INTO people (account_id, email, role) SELECT id, 'many' || n || '@people.example', 'viewer' FROM accounts`,
    ],
    [
      'sources',
      `INSERT INTO sources (account_id, id, url_id, provider, name, secrets, options)
      SELECT id, uuid_v7(), 'many' || n || repeat('x', 22), 'postmark', 'many ' || n, '{}', '{}' FROM accounts`,
    ],
    [
      'webhooks',
      `INSERT INTO webhooks (account_id, id, endpoint, events, signing_secrets, position, status, disabled_reason, disabled_at)
      SELECT id, uuid_v7(), 'https://many' || n || '.example', '{suppression.added}', '[]', 0, 'disabled', 'requested', now() FROM accounts`,
    ],
  ])('show all %s of an account with more than a hundred, in pages below 100 kB', async (section, insert) => {
    await world.database.query(
      `WITH numbers AS (SELECT * FROM generate_series(1, 130) AS n) ${insert}, numbers WHERE accounts.name = 'globex'`,
    );
    const seen = new Set<string>();
    let path: string | undefined = `/console/${section}`;
    while (path) {
      const page = await pageAt(path, stranger);
      expect(page.length).toBeLessThan(100_000 - CSS);
      [...page.matchAll(/many[ -]?(\d+)/g)].forEach(([, number]) => seen.add(number!));
      path = page.includes('Older →') ? linkOf(page, 'Older →') : undefined;
    }
    expect(seen.size).toBe(130);
  });

  it('name failing webhooks and silent sources on the overview, however many there are', async () => {
    await world.database.query(
      `INSERT INTO webhooks (
         account_id, id, endpoint, events, signing_secrets, position, status, disabled_reason, disabled_at, failing_since
       )
       SELECT accounts.id, gen_random_uuid(), endpoint, '{suppression.added}', '[]', 0, 'disabled', reason, now(), now()
       FROM accounts, (VALUES ('https://gone.example', 'gone'), ('https://off.example', 'requested')) AS webhook (endpoint, reason)
       WHERE name = 'globex'`,
    );
    expect(await pageAt('/console/overview', stranger)).toContain('No silent sources.');
    await world.database.query(`UPDATE sources SET created_at = created_at - interval '8 days'`);
    const page = await pageAt('/console/overview', stranger);
    expect(page).toContain('https://gone.example');
    expect(page).not.toContain('https://off.example');
    expect(page).toContain('The first 20 of 130.');
    expect(page.length).toBeLessThan(100_000 - CSS);
  });

  it('let a rule be about any of more than a hundred topics, by its key', async () => {
    expect(await pageAt('/console/rules', stranger)).toContain('<input id="field-topic"');
    const rule = { pattern: 'one-topic.example', effect: 'block', topic: 'many-1' };
    await stranger.post('/console/rules').send(rule).expect(303);
    expect(await pageAt('/console/rules', stranger)).toMatch(/one-topic\.example.*?<td[^>]*>many 1<\/td>/s);
    await stranger.post('/console/topics/many-1/archive').expect(303);
    expect(await pageAt('/console/rules', stranger)).toMatch(
      /one-topic\.example.*?<td[^>]*>many 1 \(archived\)<\/td>/s,
    );
  });

  it('delete the events of own mailers, whose source comes back with the next event', async () => {
    const report = () =>
      world
        .as(world.charlie)
        .post('/events')
        .send([{ type: 'bounce', email: 'own@mailer.example', diagnostic: '550 5.1.1 User unknown' }]);
    await report().expect(200);
    const path = linkOf(await pageAt('/console/sources', stranger), 'your own mailers');
    expect(await pageAt(`${path}/delete`, stranger)).toContain('create this source again');
    await stranger.post(`${path}/delete`).expect(303);
    await stranger.get(path).expect(404);
    await report().expect(200);
    expect(await pageAt(path, stranger)).toContain('own@mailer.example');
  });
});
