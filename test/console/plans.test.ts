import type { Agent } from 'supertest';
import { PushWorker } from '../../src/provider-lists/push/push-worker.js';
import { liftForm, signIn } from '../support/console.js';
import { failOnce, holdNext } from '../support/fake-providers/fake-provider.js';
import { type FakeSes, startFakeSes } from '../support/fake-providers/ses.js';
import { type FakeSparkPost, startFakeSparkPost } from '../support/fake-providers/sparkpost.js';
import { addresses, ageIncidents, sweepIncidents, WatchedMail } from '../support/incidents/incidents.js';
import { countLift, stopLift } from '../support/lifts.js';
import { apply, compare, createList, createSesList } from '../support/provider-lists.js';
import { createSource, postWithCredential } from '../support/sources.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

describe('the lifts of the console', () => {
  let service: World;
  let world: World;
  let editor: Agent;
  beforeAll(async () => (service = await createWorld()));
  beforeEach(async () => {
    world = await withNewAccounts(service);
    editor = await signIn(world, 'editor');
  });
  afterAll(() => service.close());

  const page = async (path: string, browser = editor): Promise<string> =>
    (await browser.get(path).expect(200)).text;
  const ended = async (path: string): Promise<string> => {
    let text = '';
    await until(async () => {
      text = await page(path);
      return !text.includes('data-running');
    });
    return text;
  };
  const count = async (): Promise<number> =>
    (await world.as(world.alice).get('/suppressions/count').expect(200)).body.total;
  const MANUAL = { cause: 'manual', created_after: '2020-01-01T00:00' };

  it('counts, shows, lifts, and puts back', async () => {
    await world
      .as(world.alice)
      .post('/suppressions/batch/add')
      .send({ emails: ['ada@example.com', 'grace@example.org'], note: 'Wrong \u202e<file>' })
      .expect(201);
    const { headers } = await editor
      .post('/console/lifts')
      .send({ ...MANUAL, diagnostic: 'wrong' })
      .expect(303);
    const path = headers.location!;
    const preview = await ended(path);
    expect(preview).toMatch(/Found<\/dt><dd><strong>2</);
    expect(preview).toContain('Added by hand; from 1 Jan 2020, 00:00 UTC; with “wrong”');
    expect(preview).toContain('Wrong \u{FFFD}&lt;file>');
    expect(preview).toContain('ada@example.com');
    expect(preview).toContain('Lift 2 suppressions');
    expect(await count()).toBe(2);
    await editor.post(`${path}/apply`).send({ confirm: '2' }).expect(303);
    const applied = await ended(path);
    expect(applied).toMatch(/Lifted<\/dt><dd>2</);
    expect(await count()).toBe(0);
    const history = await page('/console?q=ada@example.com');
    expect(history).toContain(`<a href="${path}">a lift by query</a>`);
    await editor.post(`${path}/revert`).expect(303);
    expect(await ended(path)).toMatch(/Put back<\/dt><dd>2</);
    expect(await count()).toBe(2);
    const lines = await page(`${path}/lines`);
    expect(lines.match(/Put back/g)).toHaveLength(2);
    expect(await page('/console/lifts')).toContain('put back');
  });

  it('continues a lift that stopped with an error', async () => {
    await suppress(world, world.alice, ['ada@example.com']);
    const { id } = await countLift(world, world.alice, { cause: 'manual', created_after: '2020-01-01' });
    await stopLift(world, id);
    const path = `/console/lifts/${id}`;
    const stopped = await page(path);
    expect(stopped).toContain('It failed.');
    expect(stopped).toContain('Lift the rest');
    await editor.post(`${path}/apply`).send({ confirm: '1' }).expect(303);
    const applied = await ended(path);
    expect(applied).toMatch(/Lifted<\/dt><dd>1</);
    expect(applied).not.toContain('Lift the rest');
  });

  it('fills the form from the list, from a source, and from a line of a history', async () => {
    await suppress(world, world.alice, ['ada@example.com']);
    const linkIn = (html: string): string =>
      /href="(\/console\/lifts\?[^"]*)"/.exec(html)![1]!.replaceAll('&amp;', '&');
    const fromHistory = linkIn(await page('/console?q=ada@example.com'));
    const form = await page(fromHistory);
    expect(form).toMatch(/<option value="manual" selected>/);
    expect(form).toMatch(/<option value="[^"]+" selected>API key: alice/);
    expect(form).toMatch(/name="created_after"[^>]*value="\d{4}-\d\d-\d\dT\d\d:\d\d"/);
    const fields = Object.fromEntries(new URL(fromHistory, world.url).searchParams);
    const { headers } = await editor.post('/console/lifts').send(fields).expect(303);
    expect(await ended(headers.location!)).toMatch(/Found<\/dt><dd><strong>1</);
    await editor
      .post('/console/add')
      .send({ emails: 'mine@example.com', note: 'Case 9 of ann@acme.example' })
      .expect(303);
    await editor
      .post('/console/add')
      .send({ emails: 'other@example.com', note: 'Case 10 of ann@acme.example' })
      .expect(303);
    const own = Object.fromEntries(
      new URL(linkIn(await page('/console?q=mine@example.com')), world.url).searchParams,
    );
    const lift = await editor.post('/console/lifts').send(own).expect(303);
    expect(await ended(lift.headers.location!)).toMatch(/Found<\/dt><dd><strong>1</);
    const fromList = linkIn(
      await page('/console/list?cause=manual&domain=example.com&created_after=2020-01-01'),
    );
    expect(await page(fromList)).toMatch(/name="domains"[^>]*value="example\.com"/);
    const unknown = await page('/console/lifts?actor=0198a5f0-1c2b-7d4e-8f90-1a2b3c4d5e6f');
    expect(unknown).toContain('selected>Id: 0198a5f0');
  });

  it('keeps what the person entered when it is refused', async () => {
    const { text } = await editor
      .post('/console/lifts')
      .send({ cause: 'bounce', domains: 'ada@example.com' })
      .expect(400);
    expect(text).toMatch(/“Domains” must have domains, as in example\.com: “[^”]+” is not one/);
    const reversed = await editor
      .post('/console/lifts')
      .send({ ...MANUAL, created_before: '2019-01-01T00:00' })
      .expect(400);
    expect(reversed.text).toContain('“Before (UTC)” must be later than “From (UTC)”');
    expect(text).toMatch(/name="domains"[^>]*value="ada@example\.com"/);
    const empty = await editor.post('/console/lifts').send({ cause: 'bounce' }).expect(400);
    expect(empty.text).toContain('at least one condition');
  });

  it('needs an admin and a consent in an account that guards removals', async () => {
    await suppress(world, world.alice, ['ada@example.com']);
    await world.as(world.alice).patch('/account').send({ removal: 'guarded' }).expect(200);
    const { id } = await countLift(world, world.alice, { cause: 'manual', created_after: '2020-01-01' });
    const path = `/console/lifts/${id}`;
    expect(await page(path)).not.toContain('Lift 1 suppression');
    const consent = { confirm: '1', consent_kind: 'our_error', consent_reference: 'Case 4711' };
    await editor.post(`${path}/apply`).send(consent).expect(403);
    await editor.post('/console/lifts').send(MANUAL).expect(403);
    const admin = await signIn(world, 'admin');
    expect(await page(path, admin)).toContain('Evidence for lifting');
    const refused = await admin.post(`${path}/apply`).send({ confirm: '1' }).expect(403);
    expect(refused.text).toContain('Say below where the mistake is documented');
    expect(await count()).toBe(1);
    await admin.post(`${path}/apply`).send(consent).expect(303);
    await ended(path);
    expect(await count()).toBe(0);
  });

  it('shows viewers everything, and lets them change nothing', async () => {
    await suppress(world, world.alice, ['ada@example.com']);
    const { id } = await countLift(world, world.alice, { cause: 'manual', created_after: '2020-01-01' });
    const viewer = await signIn(world, 'viewer');
    const path = `/console/lifts/${id}`;
    for (const shown of ['/console/lifts', path, `${path}/lines`]) {
      expect(await page(shown, viewer)).not.toContain('method="post" action="/console/lifts');
    }
    for (const form of ['/console/lifts', `${path}/apply`, `${path}/revert`]) {
      await viewer.post(form).send(MANUAL).expect(403);
    }
    const stranger = await signIn(world, 'admin', 'admin@globex.example', world.globex.name);
    await stranger.get(path).expect(404);
    await stranger.get(`${path}/lines`).expect(404);
    await stranger.post(`${path}/apply`).send({ confirm: '1' }).expect(404);
    expect(await count()).toBe(1);
  });
});

const PEOPLE = addresses(60);

describe('the console in an incident', () => {
  let world: World;
  let mail: WatchedMail;
  let admin: Agent;
  beforeEach(async () => {
    world = await createWorld();
    mail = await WatchedMail.create(world, 'acme');
    admin = await signIn(world, 'admin');
  });
  afterEach(() => world.close());

  const pageAt = async (path: string, browser = admin) => (await browser.get(path).expect(200)).text;
  const outage = async (guard: string) => {
    await world.as(world.alice).patch('/account').send({ incident_guard: guard }).expect(200);
    await mail.delivered(PEOPLE, 24 * 60);
    await mail.bounced(PEOPLE);
    await mail.pass();
  };

  it('says so on every page, and shows the answer, the counts of each five minutes, and two buttons', async () => {
    expect(await pageAt('/console')).not.toContain('Many addresses are bouncing');
    await outage('hold');
    for (const path of ['/console', '/console/list', '/console/overview']) {
      expect(await pageAt(path)).toMatch(
        /Many addresses are bouncing at once.*<a href="\/console\/incidents">/s,
      );
    }
    const page = await pageAt('/console/incidents');
    expect(page).toContain('The email account that you tried to reach does not exist.');
    expect(page).toMatch(/<dt>Held<\/dt><dd>60<\/dd>/);
    expect(page).toMatch(/<title>\d\d:\d\d UTC: 60<\/title>/);
    expect(page).toContain('Lift the held bounces (60)');
    expect(page).toContain('Keep the held bounces (60)');
    expect(await pageAt(`/console?q=${PEOPLE[0]}`)).toMatch(
      /Held because of <a [^>]*>an incident<\/a>, until .*New expiry: Bounce/s,
    );
    expect(
      await pageAt('/console', await signIn(world, 'admin', 'admin@globex.example', 'globex')),
    ).not.toContain('Many addresses are bouncing');
  });

  it('lifts by a click of an admin, once', async () => {
    await outage('hold');
    const [{ id }] = (await world.database.query<{ id: string }>('SELECT id FROM incidents')) as [
      { id: string },
    ];
    const viewer = await signIn(world, 'editor');
    expect(await pageAt('/console/incidents', viewer)).not.toContain('Lift the held bounces');
    await viewer.post(`/console/incidents/${id}/lift`).expect(403);
    await admin.post(`/console/incidents/${id}/lift`).expect(303);
    const { text } = await admin.post(`/console/incidents/${id}/keep`).expect(409);
    expect(text).toContain('This incident has already been decided: lift.');
    await sweepIncidents(world);
    await sweepIncidents(world);
    expect(await pageAt(`/console?q=${PEOPLE[0]}`)).toContain('May be mailed');
    const decided = await pageAt('/console/incidents');
    expect(decided).toContain('lift, by admin@acme.example');
    expect(decided).toContain('>Find its bounces</a>');
    expect(await pageAt('/console')).not.toContain('Many addresses are bouncing');
  });

  it('explains what to do if nothing is held, and that an incident is over', async () => {
    await outage('alert');
    const page = await pageAt('/console/incidents');
    expect(page).toContain('The bounces suppress their addresses as usual.');
    expect(page).not.toContain('Lift the held bounces');
    const [, link] = /<a href="(\/console\/lifts[^"]+)">Find the bounces/.exec(page)!;
    const form = await pageAt(link!.replaceAll('&amp;', '&'));
    expect(form).toContain('value="The email account that you tried to reach does not exist. Please try"');
    await ageIncidents(world, 65);
    await sweepIncidents(world);
    expect(await pageAt('/console/incidents')).toContain('An incident is over');
    expect(await pageAt('/console')).not.toContain('Many addresses are bouncing');
  });

  it('sets what happens in one', async () => {
    const settings = { removal: 'open', complaint_reach: 'all', bounce_expiry: '', inbox_retention: '' };
    const form = {
      ...settings,
      incident_guard: 'hold',
      incident_min_addresses: '200',
      incident_min_share: '0.2',
    };
    await admin.post('/console/settings').send(form).expect(303);
    expect((await world.as(world.alice).get('/account')).body).toMatchObject({
      incident_guard: 'hold',
      incident_min_addresses: 200,
      incident_min_share: 0.2,
    });
    const { text } = await admin
      .post('/console/settings')
      .send({ ...form, incident_min_share: 'some' })
      .expect(400);
    expect(text).toContain('“Minimum bounce rate for an incident” must be a number from 0.01 to 1');
    await admin.post('/console/settings').send(settings).expect(303);
    expect(await pageAt('/console/settings', await signIn(world, 'viewer'))).toContain(
      'At least 200 within 15 minutes',
    );
  });
});

describe('the provider lists of the console', () => {
  let service: World;
  let world: World;
  let ses: FakeSes;
  let sparkpost: FakeSparkPost;
  let editor: Agent;
  let path: string;
  let list: string;
  beforeAll(async () => {
    ses = await startFakeSes();
    sparkpost = await startFakeSparkPost();
    service = await createWorld({
      ...LOOPBACK,
      PROVIDER_API_URL_SES: ses.url,
      PROVIDER_API_URL_SPARKPOST: sparkpost.url,
    });
  });
  beforeEach(async () => {
    world = await withNewAccounts(service);
    ses.entries.clear();
    list = await createSesList(world, world.alice);
    path = `/console/provider-lists/${list}`;
    editor = await signIn(world, 'editor');
  });
  afterAll(async () => {
    await service.close();
    await ses.close();
    await sparkpost.close();
  });

  const page = async (at: string, browser = editor): Promise<string> =>
    (await browser.get(at).expect(200)).text;
  const ended = async (): Promise<string> => {
    let text = '';
    await until(async () => {
      text = await page(path);
      return !text.includes('data-running');
    });
    return text;
  };
  const formIn = (text: string, step: string): string =>
    new RegExp(`action="(${path}/plans/[^"/]+/${step})\\?`).exec(text)![1]!;
  const isSuppressed = async (email: string): Promise<boolean> =>
    (await world.as(world.alice).get(`/suppressions/${email}`)).status === 200;

  it('compares, shows the lines by kind, and applies them', async () => {
    await suppress(world, world.alice, ['here@example.com']);
    ses.list('Ada@example.com', 'COMPLAINT');
    expect(await page(path)).toContain('No plans yet.');
    await editor.post(`${path}/plans`).expect(303).expect('Location', path);
    expect(await page(path)).toContain('The list of the provider is being read and compared.');
    const shown = await ended();
    expect(shown).toMatch(/\?kind=pull">Only at the provider<\/a><\/th><td class="number">1</);
    expect(shown).toMatch(/\?kind=push">Only here<\/a><\/th><td class="number">1</);
    expect(shown).toMatch(/Entries at the provider<\/dt><dd>1</);
    const lines = /href="([^"]+\?kind=pull)"/.exec(shown)![1]!;
    const pulled = await page(lines);
    expect(pulled).toContain('>Ada@example.com</a>');
    expect(pulled).toContain('Spam complaint');
    expect(pulled).toContain('List: suppressions.');
    expect(pulled).not.toContain('here@example.com');
    expect(pulled).toMatch(/<option value="pull" selected>Only at the provider \(1\)/);
    expect(await page(lines.replace('?kind=pull', ''))).toContain('here@example.com');
    const found = await page(lines.replace('?kind=pull', '?email=ADA@example.com'));
    expect(found).toContain('>Ada@example.com</a>');
    expect(found).not.toContain('here@example.com</a>');
    expect(await page(lines.replace('?kind=pull', '?email=new@example.com'))).toContain(
      'No lines about new@',
    );
    const { text: refused } = await editor.get(lines.replace('?kind=pull', '?email=ada')).expect(400);
    expect(refused).toMatch(/<input[^>]*name="email"[^>]*value="ada"/);
    await editor.post(formIn(shown, 'apply')).expect(303);
    const applied = await ended();
    expect(applied).toMatch(/Applied lines<\/dt><dd>1</);
    expect(applied).not.toContain('/apply?');
    expect(await isSuppressed('ada@example.com')).toBe(true);
    expect(await page('/console/provider-lists')).toMatch(
      new RegExp(`href="${path}">SES in Ireland</a>.*Amazon SES, eu-west-1.*Active.*Only here: 1`, 's'),
    );
  });

  it('shows a comparison that is under way to somebody who asks for another one, also after a reload', async () => {
    const request = holdNext(ses);
    await editor.post(`${path}/plans`).expect(303);
    const answer = await request;
    const { text } = await editor.post(`${path}/plans`).expect(409);
    expect(text).toMatch(/role="alert".*data-running/s);
    expect(text).toContain('reads the whole list from the provider');
    await editor.get(`${path}/plans`).expect(303).expect('Location', path);
    answer(401, '');
    await ended();
  });

  it('shows the lines that a person decides, with links to their addresses', async () => {
    ses.list('ada@example.com');
    ses.list('grace@example.com');
    const { id } = await compare(world, world.alice, list);
    await apply(world, world.alice, list, id);
    ses.entries.delete('ada@example.com');
    await compare(world, world.alice, list);
    const shown = await page(path);
    expect(shown).toMatch(
      /To decide<\/h2><p>When the last plan was made.*href="\/console\?q=ada%40example\.com">ada@example\.com/s,
    );
    expect(shown).toContain('does not have it now');
  });

  it('lets only an admin accept that a plan stopped, and editors discard it', async () => {
    ses.list('ada@example.com');
    const { id } = await compare(world, world.alice, list);
    await apply(world, world.alice, list, id);
    ses.entries.clear();
    await compare(world, world.alice, list);
    const shown = await page(path);
    expect(shown).toMatch(/badge bad">stopped/);
    expect(shown).toContain('/discard?');
    expect(shown).not.toContain('/accept-stop?');
    const admin = await signIn(world, 'admin', 'boss@acme.example');
    const form = formIn(await page(path, admin), 'accept-stop');
    await editor.post(form).expect(403);
    const refused = await editor.post(form.replace('accept-stop', 'apply')).expect(409);
    expect(refused.text).toContain('accept the stop');
    await admin.post(form).expect(303);
    expect(await ended()).toMatch(/badge good">applied/);
    await compare(world, world.alice, list);
    await editor.post(formIn(await page(path), 'discard')).expect(303);
    expect(await page(path)).toContain('Plan discarded.');
  });

  it('says what the credentials can do, and why a plan failed', async () => {
    const { text: tested } = await editor.post(`${path}/test`).expect(200);
    expect(tested).toContain('The credentials suffice, as far as it can be tried');
    expect(tested).toMatch(/ses:ListSuppressedDestinations<\/th><td data-label="Allowed">yes/);
    ses.faults.push((response, request) =>
      request.url!.includes('PageSize') ? failOnce(403)(response, request) : false,
    );
    const { text: refused } = await editor.post(`${path}/test`).expect(200);
    expect(refused).toContain('The credentials lack the permission ses:ListSuppressedDestinations');
    ses.faults.push(failOnce(401));
    await compare(world, world.alice, list);
    const shown = await page(path);
    expect(shown).toContain('The provider refused the credentials (401).');
    expect(shown).toMatch(/badge bad">Stopped/);
    expect(shown).not.toContain('Next plan');
    expect(await page('/console/overview')).toMatch(
      new RegExp(`Failing provider list.*href="${path}">.*badge bad">Stopped`, 's'),
    );
  });

  it('are created, changed, and deleted by admins, and no page shows the credentials', async () => {
    const admin = await signIn(world, 'admin', 'boss@acme.example');
    const form = await page('/console/provider-lists/new?provider=ses', admin);
    expect(form).toMatch(/<input[^>]*name="scope_region"[^>]*required/);
    expect(form).toMatch(/<input[^>]*name="credential_secret_access_key"[^>]*type="password"/);
    const fields = {
      provider: 'ses',
      name: 'SES in Frankfurt',
      scope_region: 'Frankfurt',
      credential_access_key_id: 'AKIDEXAMPLE7777',
      credential_secret_access_key: 'a-secret-of-the-console',
      interval: '6h',
      pull: 'true',
    };
    const { text: refused } = await admin.post('/console/provider-lists').send(fields).expect(400);
    expect(refused).toContain('“Region” must be a region of AWS');
    expect(refused).toContain('value="SES in Frankfurt"');
    expect(refused).not.toContain('a-secret-of-the-console');
    expect(refused).not.toContain('AKIDEXAMPLE7777');
    await editor.post('/console/provider-lists').send(fields).expect(403);
    const { headers } = await admin
      .post('/console/provider-lists')
      .send({ ...fields, scope_region: 'eu-central-1' })
      .expect(303);
    const created = headers.location!;
    const shown = await page(created, admin);
    expect(shown).toMatch(/Switched on<\/dt><dd>Add here what only the provider has<.*every 6 hours/s);
    expect(shown).not.toContain('a-secret-of-the-console');
    ses.faults.push(failOnce(401));
    await admin.post(`${created}/plans`).expect(303);
    await until(async () => (await page(created, admin)).includes('badge bad">Stopped'));
    await admin.post(created).send({ name: 'Frankfurt', interval: '2d' }).expect(303);
    expect(await page(created, admin)).toMatch(
      /badge bad">Stopped.*nothing: a person applies.*every 2 days/s,
    );
    await admin
      .post(created)
      .send({ name: 'Frankfurt', credential_access_key_id: 'AKIDEXAMPLE7778' })
      .expect(400)
      .expect(/“Secret access key” must be given/);
    const opened = { name: 'Frankfurt', interval: '2d', pull: '', push_removals: '' };
    const shownFields = Object.entries(opened).map(([name, value]) => [`shown_${name}`, value] as const);
    const change = await page(created, admin);
    shownFields.forEach(([name, value]) =>
      expect(change).toMatch(new RegExp(`name="${name}" value(?:="${value}")?/?>`)),
    );
    await admin.post(created).send({ name: 'Frankfurt', interval: '2d', pull: 'true' }).expect(303);
    await admin
      .post(created)
      .send({ ...opened, ...Object.fromEntries(shownFields), interval: '3d' })
      .expect(303);
    expect(await page(created, admin)).toMatch(/Switched on<\/dt><dd>Add here.*every 3 days/s);
    const both = { credential_access_key_id: 'AKIDEXAMPLE7778', credential_secret_access_key: 'b' };
    await admin
      .post(created)
      .send({ name: 'Frankfurt', ...both })
      .expect(303);
    expect(await page(created, admin)).toContain('badge good">Active');
    await admin.post(`${created}/delete`).expect(303);
    await admin.get(created).expect(404);
  });

  it('remove at the provider what a person confirms, from a link beside the address that was lifted', async () => {
    const source = await createSource(world, 'sparkpost', { account: world.acme.name });
    const made = {
      provider: 'sparkpost',
      name: 'SparkPost',
      scope: {},
      credentials: { api_key: 'sp-key-1' },
    };
    const id = await createList(world, world.alice, made);
    sparkpost.entries.push({
      recipient: 'Ada@example.com',
      type: 'transactional',
      source: 'Bounce Rule',
      created: '2026-01-10T08:00:00+00:00',
      updated: '2026-01-10T08:00:00+00:00',
    });
    const bounce = { type: 'bounce', bounce_class: '10', event_id: '1', rcpt_to: 'ada@example.com' };
    await postWithCredential(world, source, [{ msys: { message_event: bounce } }]);
    await editor
      .post('/console/lift')
      .send(await liftForm(editor, 'ada@example.com', 'bounce'))
      .expect(303);
    const answer = await page('/console?q=ada@example.com');
    expect(answer).toContain('suppression list may still have this address. <a href=');
    const link = /href="(\/console\/provider-lists\/[^"#]+)#remove">Remove it from SparkPost</.exec(
      answer,
    )![1]!;
    expect(link).toContain(id);
    expect(await page(link)).toMatch(/<textarea[^>]*name="emails"[^>]*>ada@example\.com</);
    await compare(world, world.alice, id);
    const form = `/console/provider-lists/${id}/removals`;
    await editor.post(form).send({ emails: 'ada@example.com' }).expect(400);
    const consent = { consent_kind: 'recipient_request', consent_reference: 'Case 4711' };
    await editor
      .post(form)
      .send({ emails: 'ada@example.com\nnobody', ...consent })
      .expect(400)
      .expect(/<p>Number 2 of “Addresses” must contain an @\.</);
    const suppressed = Array.from({ length: 99 }, (_, index) => `given.family.${index}@mail.example.com`);
    await suppress(world, world.alice, suppressed);
    const { headers } = await editor
      .post(form)
      .send({ emails: ['ada@example.com', ...suppressed].join('\n'), ...consent })
      .expect(303);
    expect(Math.max(...[headers['set-cookie']!].flat().map((cookie) => cookie.length))).toBeLessThan(4_000);
    const told = await page(link);
    expect(told).toContain('The provider is being asked to remove: ada@example.com.');
    expect(told).toContain(
      `Still suppressed here, so lift first: ${suppressed.slice(0, 10).join(', ')} and 89 more.`,
    );
    await until(async () => {
      await world.app.get(PushWorker).run();
      return sparkpost.entries.length === 0;
    });
  });

  it('are those of the account, and viewers only look', async () => {
    const { id } = await compare(world, world.alice, list);
    const viewer = await signIn(world, 'viewer', 'viewer@acme.example');
    const stranger = await signIn(world, 'admin', 'admin@globex.example', 'globex');
    expect(await page(path, viewer)).not.toMatch(/<form method="post" action="\/console\/provider-lists/);
    expect(await page('/console/provider-lists', stranger)).toContain('No provider lists yet.');
    for (const other of [path, `${path}/plans/${id}`]) {
      await stranger.get(other).expect(404);
    }
    for (const form of [
      'test',
      'plans',
      `plans/${id}/apply`,
      `plans/${id}/accept-stop`,
      `plans/${id}/discard`,
    ]) {
      await viewer.post(`${path}/${form}`).expect(403);
      await stranger.post(`${path}/${form}`).expect(404);
    }
    await editor.get(`${path}/plans/${id}?kind=none`).expect(400);
  });
});
