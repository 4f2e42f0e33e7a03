import type { Agent } from 'supertest';
import { signIn } from '../support/console.js';
import { countLift } from '../support/lifts.js';
import { until } from '../support/until.js';
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
