import { ListCredentials } from '../../src/provider-lists/list-credentials.js';
import type { ProviderList } from '../../src/provider-lists/provider-list.entity.js';
import { startFakeSes, type FakeSes } from '../support/fake-providers/ses.js';
import { failOnce, type Fault } from '../support/fake-providers/fake-provider.js';
import { compare, createList, createSesList, SES_LIST } from '../support/provider-lists.js';
import { createSource } from '../support/sources.js';
import { startTestApp, TEST_SECRETS_KEY } from '../support/test-app.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createKey, createWorld, withNewAccounts, type World } from '../support/world.js';

const SECRET = SES_LIST.credentials.secret_access_key;

describe('/provider-lists', () => {
  let service: World;
  let world: World;
  let ses: FakeSes;
  beforeAll(async () => {
    ses = await startFakeSes();
    service = await createWorld({ ...LOOPBACK, PROVIDER_API_URL_SES: ses.url });
  });
  beforeEach(async () => {
    world = await withNewAccounts(service);
    ses.entries.clear();
  });
  afterAll(async () => {
    await service.close();
    await ses.close();
  });

  const create = (body: object, key = world.alice) => world.as(key).post('/provider-lists').send(body);

  const hasSucceeded = (id: string) =>
    world.database.query('UPDATE provider_lists SET last_success_at = now() WHERE id = $1', [id]);

  it('creates a list with its defaults, and never returns its credentials', async () => {
    const { body } = await create(SES_LIST).expect(201);
    expect(body).toEqual({
      object: 'provider_list',
      id: expect.any(String),
      provider: 'ses',
      name: 'SES in Ireland',
      scope: { region: 'eu-west-1' },
      source: null,
      shared: false,
      pull: false,
      push_additions: false,
      push_removals: false,
      push_unsubscribes: false,
      pushes: { pending: 0, failed: 0, unexamined: 0, oldest_at: null },
      interval: '1d',
      status: 'active',
      last_success_at: null,
      last_error: null,
      counts: null,
      next_plan_at: expect.any(String),
      created_at: expect.any(String),
    });
    const { body: page } = await world.as(world.alice).get('/provider-lists').expect(200);
    expect(page.data).toEqual([body]);
    await world.as(world.alice).delete(`/provider-lists/${body.id}`).expect(200);
  });

  it('reads null as absence', async () => {
    const { body: list } = await create({ ...SES_LIST, interval: null, pull: null }).expect(201);
    expect(list).toMatchObject({ pull: false, interval: '1d' });
    const patch = (changes: object) =>
      world.as(world.alice).patch(`/provider-lists/${list.id}`).send(changes).expect(200);
    const { body: pulling } = await patch({ name: null, credentials: null, pull: true, interval: '2d' });
    expect(pulling).toEqual({ ...list, pull: true, interval: '2d' });
    expect((await patch({ pull: null, shared: null, interval: null })).body).toEqual(pulling);
  });

  it('stores the credentials encrypted, and shows them in no response, audit entry, or log line', async () => {
    const id = await createSesList(world, world.alice);
    await world.as(world.alice).patch(`/provider-lists/${id}`).send({ pull: true }).expect(200);
    ses.faults.push(failOnce(403));
    await world.as(world.alice).post(`/provider-lists/${id}/test`).expect(200);
    ses.faults.push(failOnce(403));
    await compare(world, world.alice, id);
    const rows = await world.database.query('SELECT row_to_json(provider_lists) FROM provider_lists');
    const { text } = await world.as(world.alice).get('/audit-log').expect(200);
    const { text: lists } = await world.as(world.alice).get('/provider-lists').expect(200);
    const everything = [JSON.stringify(rows), text, lists, JSON.stringify(world.logLines())].join();
    expect(everything).not.toContain(SECRET);
    expect(text).toContain('provider_list.tested');
  });

  it.each([
    [{ provider: 'ses', scope: {} }, 'scope.region'],
    [{ provider: 'ses', scope: { region: 'evil.example.com/' } }, 'scope.region'],
    [{ provider: 'ses', scope: { region: 'eu-west-1', host: 'x' } }, 'scope.host'],
    [{ provider: 'ses', credentials: { access_key_id: 'A' } }, 'credentials.secret_access_key'],
    [{ provider: 'ses', credentials: { access_key_id: 'A\r\nX: y', secret_access_key: 'b' } }, 'credentials'],
    [{ provider: 'mailgun', scope: { domain: '../bounces' }, credentials: { api_key: 'k' } }, 'scope.domain'],
    [{ provider: 'postmark', scope: { stream: 'a/b' }, credentials: { server_token: 't' } }, 'scope.stream'],
    [{ provider: 'mailchimp' }, 'provider'],
    [{ interval: '59m' }, 'interval'],
    [{ interval: '31d' }, 'interval'],
    [{ pull: 'yes' }, 'pull'],
    [{ push_additions: 1 }, 'push_additions'],
    [{ push_removals: 'yes' }, 'push_removals'],
    [{ push_removals: true, shared: true }, 'shared'],
    [{ colour: 'red' }, 'colour'],
  ])('refuses %j, and creates nothing', async (wrong, path) => {
    const { body } = await create({ ...SES_LIST, ...wrong }).expect(400);
    expect(body.errors[0].path).toContain(path);
    expect((await world.as(world.alice).get('/provider-lists').expect(200)).body.data).toEqual([]);
  });

  it('does not let an account occupy the scope of another one with credentials that have never worked', async () => {
    const mailgun = { provider: 'mailgun', name: 'Mailgun', scope: { domain: 'mg.example.net' } };
    const squatter = await createList(world, world.charlie, {
      ...mailgun,
      credentials: { api_key: 'bogus' },
    });
    const owner = await createList(world, world.alice, { ...mailgun, credentials: { api_key: 'key-1' } });
    await hasSucceeded(owner);
    const path = `/provider-lists/${squatter}`;
    await world
      .as(world.charlie)
      .patch(path)
      .send({ credentials: { api_key: 'key-2' } })
      .expect(409);
  });

  it('refuses a second list with the same scope, in any account, unless both are shared', async () => {
    const mailgun = {
      provider: 'mailgun',
      name: 'Mailgun',
      scope: { domain: 'mg.example.com' },
      credentials: { api_key: 'key-1' },
    };
    const first = await createList(world, world.alice, mailgun);
    await hasSucceeded(first);
    for (const key of [world.alice, world.charlie]) {
      for (const shared of [false, true]) {
        const again = { ...mailgun, credentials: { api_key: 'key-2' }, shared };
        const { body } = await create(again, key).expect(409);
        expect(body.code).toBe('provider_list_scope_taken');
      }
    }
    await world.as(world.alice).patch(`/provider-lists/${first}`).send({ shared: true }).expect(200);
    const second = await createList(world, world.charlie, { ...mailgun, shared: true });
    await hasSucceeded(second);
    await world.as(world.alice).patch(`/provider-lists/${first}`).send({ shared: false }).expect(409);
    await createList(world, world.alice, { ...mailgun, scope: { domain: 'mg.example.com', region: 'eu' } });
    await world.as(world.charlie).delete(`/provider-lists/${second}`).expect(200);
    await world.as(world.alice).patch(`/provider-lists/${first}`).send({ shared: false }).expect(200);
    await world.as(world.alice).delete(`/provider-lists/${first}`).expect(200);
  });

  it('compares credentials where the scope does not identify the list, even when they are replaced', async () => {
    const resend = { provider: 'resend', name: 'Resend', scope: {}, credentials: { api_key: 're_same' } };
    const id = await createList(world, world.alice, resend);
    await hasSucceeded(id);
    await create(resend, world.charlie).expect(409);
    const other = await createList(world, world.charlie, { ...resend, credentials: { api_key: 're_2' } });
    const path = `/provider-lists/${other}`;
    await world.as(world.charlie).patch(path).send({ credentials: resend.credentials }).expect(409);
    await world.as(world.alice).delete(`/provider-lists/${id}`).expect(200);
    await world.as(world.charlie).patch(path).send({ credentials: resend.credentials }).expect(200);
    await world.as(world.charlie).delete(path).expect(200);
  });

  it('belongs to one account: for another, neither the list nor its plans exist', async () => {
    const id = await createSesList(world, world.alice);
    ses.list('ada@example.com');
    const plan = await compare(world, world.alice, id);
    const other = await createSesList(world, world.charlie);
    const as = world.as(world.charlie);
    for (const path of [`/provider-lists/${id}`, `/provider-lists/${id}/plans`]) {
      await as.get(path).expect(404);
    }
    for (const list of [id, other]) {
      const path = `/provider-lists/${list}/plans/${plan.id}`;
      await as.get(path).expect(404);
      await as.get(`${path}/lines`).expect(404);
      await as.post(`${path}/apply`).send({}).expect(404);
      await as.delete(path).expect(404);
    }
    await as.patch(`/provider-lists/${id}`).send({ pull: true }).expect(404);
    await as.post(`/provider-lists/${id}/test`).expect(404);
    await as.post(`/provider-lists/${id}/plans`).expect(404);
    await as.delete(`/provider-lists/${id}`).expect(404);
    expect((await as.get('/provider-lists').expect(200)).body.data).toHaveLength(1);
  });

  it('needs the scope provider-lists:read to read, and provider-lists:write to change', async () => {
    const id = await createSesList(world, world.alice);
    const reader = await createKey(world, ['provider-lists:read'], world.acme.name);
    await world.as(reader).get(`/provider-lists/${id}`).expect(200);
    await world.as(reader).post(`/provider-lists/${id}/plans`).expect(401);
    await world.as(reader).patch(`/provider-lists/${id}`).send({}).expect(401);
    await world.as(reader).delete(`/provider-lists/${id}`).expect(401);
    await world.as(world.bob).get('/provider-lists').expect(401);
    const writer = await createKey(world, ['provider-lists:write'], world.acme.name);
    await world.as(writer).get('/provider-lists').expect(200);
    await world.as(writer).delete(`/provider-lists/${id}`).expect(200);
  });

  it('says what the credentials can do, and why not', async () => {
    const id = await createSesList(world, world.alice);
    const test = async () =>
      (await world.as(world.alice).post(`/provider-lists/${id}/test`).expect(200)).body;
    const read = 'ses:ListSuppressedDestinations';
    const find = 'ses:GetSuppressedDestination';
    const unknown = { allowed: null, reason: expect.stringContaining('Only a change would show it') };
    const others = [
      { name: find, allowed: true, reason: null },
      { name: 'ses:GetAccount', allowed: true, reason: null },
      { name: 'ses:PutSuppressedDestination', ...unknown },
      { name: 'ses:DeleteSuppressedDestination', ...unknown },
    ];
    expect(await test()).toEqual({
      object: 'provider_list_test',
      ok: true,
      permissions: [{ name: read, allowed: true, reason: null }, ...others],
      reason: null,
    });
    const failing =
      (part: string, status: number): Fault =>
      (response, request) =>
        request.url!.includes(part) && failOnce(status)(response, request);
    const lacks = (name: string) => `The credentials lack the permission ${name} (403).`;
    ses.faults.push(failing('PageSize', 403));
    expect(await test()).toMatchObject({
      ok: false,
      permissions: [{ name: read, allowed: false, reason: lacks(read) }, ...others],
      reason: lacks(read),
    });
    ses.faults.push(failing('PageSize', 500));
    expect(await test()).toMatchObject({
      ok: false,
      permissions: [{ name: read, allowed: null }, ...others],
    });
    ses.faults.push(failing('%40', 403));
    expect(await test()).toMatchObject({
      ok: true,
      permissions: expect.arrayContaining([{ name: find, allowed: false, reason: lacks(find) }]),
    });
    await world.as(world.alice).patch(`/provider-lists/${id}`).send({ push_removals: true }).expect(200);
    ses.faults.push(failing('%40', 403));
    expect(await test()).toMatchObject({ ok: false, reason: lacks(find) });
    expect(ses.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('says what to do instead of changing the provider or the scope', async () => {
    const id = await createSesList(world, world.alice);
    const change = { provider: 'sendgrid', scope: { region: 'eu-west-2' } };
    const { body } = await world.as(world.alice).patch(`/provider-lists/${id}`).send(change).expect(400);
    const message = 'cannot be changed: create another provider list, and delete this one';
    expect(body.errors).toEqual([
      { path: 'provider', message },
      { path: 'scope', message },
    ]);
  });

  it('has one plan in progress at a time', async () => {
    const id = await createSesList(world, world.alice);
    let release!: () => void;
    ses.faults.push((response) => {
      release = () => response.writeHead(200).end('{"SuppressedDestinationSummaries":[]}');
      return true;
    });
    const { body } = await world.as(world.alice).post(`/provider-lists/${id}/plans`).expect(202);
    const { body: refused } = await world.as(world.alice).post(`/provider-lists/${id}/plans`).expect(409);
    expect(refused.code).toBe('provider_list_plan_in_progress');
    await world.as(world.alice).delete(`/provider-lists/${id}/plans/${body.id}`).expect(200);
    release?.();
    expect(await compare(world, world.alice, id)).toMatchObject({ status: 'ready', entries: 0 });
  });

  it('belongs to a source of the same account and provider, or to none', async () => {
    const account = world.acme.name;
    const options = { topicArns: ['arn:aws:sns:eu-west-1:123456789012:ses'] };
    const source = await createSource(world, 'ses', { account, options });
    const others = [
      await createSource(world, 'sparkpost', { account }),
      await createSource(world, 'ses', { account: world.globex.name, options }),
    ];
    const id = await createSesList(world, world.alice, { source: source.id });
    const list = () => world.as(world.alice).get(`/provider-lists/${id}`).expect(200);
    const change = (body: object) => world.as(world.alice).patch(`/provider-lists/${id}`).send(body);
    expect((await list()).body.source).toBe(source.id);
    for (const other of [...others.map((one) => one.id), 'none']) {
      const { body } = await change({ source: other }).expect(400);
      expect(body.errors).toMatchObject([{ path: 'source' }]);
    }
    await change({ name: 'Other' }).expect(200);
    expect((await list()).body.source).toBe(source.id);
    await change({ source: null }).expect(200);
    expect((await list()).body.source).toBeNull();
  });

  it('keeps its credentials and its scope when SECRETS_KEY changes', async () => {
    const id = await createSesList(world, world.alice);
    const rotated = await startTestApp(world.database.url, {
      ...LOOPBACK,
      PROVIDER_API_URL_SES: ses.url,
      SECRETS_KEY: 'b6'.repeat(32),
      SECRETS_KEY_PREVIOUS: TEST_SECRETS_KEY,
    });
    try {
      const [before] = await world.database.query('SELECT * FROM provider_lists WHERE id = $1', [id]);
      expect(await rotated.app.get(ListCredentials).reencrypt()).toBeGreaterThan(0);
      const [after] = await world.database.query('SELECT * FROM provider_lists WHERE id = $1', [id]);
      expect(after!.credentials).not.toEqual(before!.credentials);
      expect(after!.scope_key).not.toBe(before!.scope_key);
      const credentials = rotated.app.get(ListCredentials).decrypt(after as unknown as ProviderList);
      expect(credentials).toMatchObject({ secret_access_key: SECRET });
    } finally {
      await rotated.close();
    }
  });
});
