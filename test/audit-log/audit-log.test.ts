import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agent } from 'supertest';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import { ApiKeysService } from '../../src/api-keys/api-keys.service.js';
import { handOverFirst } from '../../src/database/transaction.js';
import { runCommand } from '../support/command-line.js';
import { signIn } from '../support/console.js';
import { SourceChangesService } from '../../src/inbound/sources/source-changes.service.js';
import { UnsubscribeSettingsService } from '../../src/unsubscribe-links/unsubscribe-settings.service.js';
import { OPERATOR } from '../support/operator.js';
import { createSource, postWithCredential } from '../support/sources.js';
import { createKey, createWorld, suppress, type World } from '../support/world.js';

interface Entry {
  id: string;
  action: string;
  subject: { id: string | null; name: string };
  changes: Record<string, { from: unknown; to: unknown }>;
  actor: { type: string; id: string | null; name: string };
}

describe('the audit log', () => {
  let world: World;
  let folder: string;
  let admin: Agent;
  beforeAll(async () => {
    world = await createWorld({ SECRETS_KEY: '11'.repeat(32) });
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-audit-'));
    admin = await signIn(world, 'admin');
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  const entries = async (query = '', apiKey = world.alice): Promise<Entry[]> => {
    const { body } = await world.as(apiKey).get(`/audit-log${query}`).expect(200);
    return body.data;
  };
  const latest = async (): Promise<Entry> => (await entries('?limit=1'))[0]!;
  const cli = (line: string) =>
    runCommand(line.split(' '), { DATABASE_URL: world.database.url, SECRETS_KEY: '11'.repeat(32) }, folder);
  const ofAdmin = { type: 'person', id: expect.any(String), name: 'admin@acme.example' };
  const ofAlice = { type: 'api_key', id: expect.any(String), name: 'alice' };

  it('records who changed which settings, with the old and the new values', async () => {
    await world.as(world.alice).patch('/account').send({ complaint_reach: 'marketing' }).expect(200);
    expect(await latest()).toMatchObject({
      object: 'audit_entry',
      action: 'settings.updated',
      subject: { id: null, name: 'acme' },
      changes: { complaint_reach: { from: 'all', to: 'marketing' } },
      actor: ofAlice,
    });
    const form = { removal: 'guarded', complaint_reach: 'marketing', bounce_expiry: '7d' };
    await admin.post('/console/settings').send(form).expect(303);
    expect(await latest()).toMatchObject({
      changes: { removal: { from: 'open', to: 'guarded' }, bounce_expiry: { from: null, to: [7] } },
      actor: ofAdmin,
    });
    const before = await latest();
    await admin.post('/console/settings').send(form).expect(303);
    expect(await latest()).toEqual(before);
  });

  it('records changes of API keys, without their secrets', async () => {
    const form = { name: 'mailer', scopes: ['suppressions:read'], days: '30' };
    const { text } = await admin.post('/console/api-keys').send(form).expect(200);
    const created = await latest();
    expect(created).toMatchObject({
      action: 'api_key.created',
      subject: { id: expect.any(String), name: 'mailer' },
      changes: { scopes: { from: null, to: ['suppressions:read'] }, expires_at: { from: null } },
      actor: ofAdmin,
    });
    await admin.post(`/console/api-keys/${created.subject.id}/rotate`).expect(200);
    expect(await latest()).toMatchObject({
      action: 'api_key.rotated',
      subject: created.subject,
      changes: { successor_id: { from: null, to: expect.any(String) } },
    });
    await admin.post(`/console/api-keys/${created.subject.id}/revoke`).expect(303);
    expect(await latest()).toMatchObject({ action: 'api_key.revoked', subject: created.subject });
    const secret = /sup_([0-9a-f]{48})/.exec(text)![1]!;
    expect(JSON.stringify(await entries())).not.toContain(secret);
  });

  it('records who was invited, changed, signed out and removed', async () => {
    const email = 'new@acme.example';
    await admin.post('/console/people').send({ email, role: 'viewer' }).expect(200);
    const { subject } = await latest();
    for (const [path, form] of [
      ['role', { role: 'editor' }],
      ['sign-out', {}],
      ['remove', {}],
    ] as const) {
      await admin.post(`/console/people/${subject.id}/${path}`).send(form).expect(303);
    }
    expect(await entries('?limit=4')).toMatchObject([
      { action: 'person.removed', subject: { id: subject.id, name: email }, actor: ofAdmin },
      { action: 'person.signed_out', subject },
      { action: 'person.updated', changes: { role: { from: 'viewer', to: 'editor' } } },
      { action: 'person.invited', changes: { role: { from: null, to: 'viewer' } } },
    ]);
  });

  it('records who signed in to the console', async () => {
    await signIn(world, 'viewer', 'vic@acme.example');
    const { action, subject, actor, changes } = await latest();
    expect(action).toBe('person.signed_in');
    expect(changes).toEqual({
      method: { from: null, to: 'link' },
      invited_by: { from: null, to: OPERATOR.name },
    });
    expect(subject).toEqual({ id: expect.any(String), name: 'vic@acme.example' });
    expect(actor).toEqual({ type: 'person', ...subject });
  });

  it('records changes of sources, without their secrets', async () => {
    const form = { provider: 'mailgun', name: 'Mailgun', 'secret-signing_key': 'hush-hush' };
    await admin.post('/console/sources').send(form).expect(200);
    const { subject, action } = await latest();
    expect({ action, subject }).toEqual({
      action: 'source.created',
      subject: { id: expect.any(String), name: 'Mailgun' },
    });
    for (const [path, body] of [
      ['secret', { name: 'signing_key', value: 'key-0123456789abcdef0123456789abcdef' }],
      ['pause', {}],
      ['resume', {}],
    ] as const) {
      await admin.post(`/console/sources/${subject.id}/${path}`).send(body).expect(303);
    }
    expect((await cli(`source delete ${subject.id}`)).code).toBe(0);
    const logged = await entries('?limit=5');
    expect(logged.map((entry) => [entry.action, entry.actor.type])).toEqual([
      ['source.deleted', 'cli'],
      ['source.paused', 'cli'],
      ['source.resumed', 'person'],
      ['source.paused', 'person'],
      ['source.updated', 'person'],
    ]);
    expect(logged.at(-1)!.changes).toEqual({ 'secrets.signing_key': { from: '(hidden)', to: '(hidden)' } });
    expect(JSON.stringify(await entries())).not.toMatch(/hush|0123456789abcdef/);
  });

  it('records the source of posted events, and the key that posted the first ones', async () => {
    const key = await createKey(world, ['events:write', 'audit:read'], 'initrode');
    const post = () =>
      world
        .as(key)
        .post('/events')
        .send([{ type: 'unsubscribe', email: 'ada@example.com' }]);
    const answers = await Promise.all([post(), post(), post()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const sources = (await entries('', key)).filter(({ action }) => action.startsWith('source.'));
    expect(sources).toMatchObject([
      { action: 'source.created', actor: { type: 'api_key' }, changes: { provider: { from: null } } },
    ]);
  });

  it('records a mapping of a source once, and the automatic topic that it archives', async () => {
    const source = await createSource(world, 'postmark', { name: 'Postmark' });
    const change = (MessageStream: string) => {
      const body = {
        RecordType: 'SubscriptionChange',
        MessageStream,
        Recipient: 'ada@example.com',
        SuppressSending: true,
        SuppressionReason: 'ManualSuppression',
        Origin: 'Recipient',
        ChangedAt: new Date().toISOString(),
      };
      return postWithCredential(world, source, body);
    };
    expect((await change('broadcast')).status).toBe(200);
    const automatic = (await latest()).subject;
    const topic = { name: 'Digest', default_subscription: 'opt_in' };
    const { body } = await world.as(world.alice).post('/topics').send(topic).expect(201);
    const map = () => cli(`source map ${source.id} digest=stream:broadcast`);
    expect((await map()).code).toBe(0);
    const after = await entries('?limit=2');
    expect(after).toMatchObject([
      { action: 'topic.archived', subject: automatic, actor: { type: 'cli' } },
      {
        action: 'source.updated',
        changes: { 'topics.stream:broadcast': { from: null, to: body.id } },
      },
    ]);
    expect((await map()).code).toBe(0);
    expect(await entries('?limit=2')).toEqual(after);
  });

  it('records changes of webhooks, with only the host of the endpoint', async () => {
    const as = world.as(world.alice);
    const newWebhook = { endpoint: 'https://example.com/hooks/secret-path', events: ['suppression.added'] };
    const { body } = await as.post('/webhooks').send(newWebhook).expect(201);
    await as.patch(`/webhooks/${body.id}`).send({ endpoint: 'https://example.com/other-path' }).expect(200);
    await as.post(`/webhooks/${body.id}/signing-secret/rotate`).expect(200);
    await as.post(`/webhooks/${body.id}/replay`).send({ since: '2026-01-15T00:00:00Z' }).expect(202);
    const { body: sent } = await as.post(`/webhooks/${body.id}/test`).expect(202);
    await as.post(`/webhooks/${body.id}/events/${sent.id}/replay`).expect(200);
    await as.delete(`/webhooks/${body.id}`).expect(200);
    const logged = await entries('?limit=8');
    expect(logged.map(({ action }) => action)).toEqual([
      'webhook.deleted',
      'webhook.updated',
      'webhook.event_replayed',
      'webhook.tested',
      'webhook.replayed',
      'webhook.secret_rotated',
      'webhook.updated',
      'webhook.created',
    ]);
    expect(logged[6]).toMatchObject({
      subject: { id: body.id, name: 'example.com' },
      changes: { endpoint: { from: 'example.com', to: 'example.com' } },
      actor: ofAlice,
    });
    expect(JSON.stringify(logged)).not.toMatch(/-path|whsec/);
  });

  it('records exports and scrubs, with their filters and without addresses', async () => {
    const as = world.as(world.alice);
    await as
      .get('/exports?format=ndjson&cause=bounce&domain=example.com&created_after=2026-01-15')
      .expect(200);
    await admin.get('/console/list/export?format=csv&cause=manual').expect(200);
    await as.get('/exports?topic=missing').expect(404);
    await as.head('/exports?topic=missing').expect(404);
    await as.head('/exports').expect(200).expect('Changes-Cursor', /./);
    await admin.head('/console/list/export?format=csv').expect(200);
    await as.post('/scrubs?column=missing').set('Content-Type', 'text/csv').send('email\n').expect(422);
    const { headers } = await as
      .post('/scrubs?mode=annotate')
      .set('Content-Type', 'text/csv')
      .send('email\nada@example.com\n')
      .expect(200);
    const logged = await entries('?limit=3');
    expect(logged).toMatchObject([
      {
        action: 'scrub.started',
        subject: { id: headers['scrub-id'], name: 'recipients' },
        changes: { mode: { to: 'annotate' }, purpose: { to: 'any' } },
        actor: ofAlice,
      },
      {
        action: 'export.started',
        subject: { id: null, name: 'suppressions' },
        changes: { format: { to: 'csv' }, cause: { to: 'manual' } },
        actor: ofAdmin,
      },
      {
        action: 'export.started',
        changes: {
          format: { to: 'ndjson' },
          cause: { to: 'bounce' },
          domain: { to: 'example.com' },
          created_after: { to: '2026-01-15T00:00:00.000Z' },
        },
        actor: ofAlice,
      },
    ]);
    expect(JSON.stringify(logged.map(({ changes }) => changes))).not.toContain('@');
    const { body: topic } = await as
      .post('/topics')
      .send({ name: 'Offers', key: 'offers', default_subscription: 'opt_in' })
      .expect(201);
    await as.get('/exports?topic=offers').expect(200);
    expect(await latest()).toMatchObject({
      action: 'export.started',
      subject: { id: topic.id, name: 'Offers' },
    });
    const scrub = as.post('/scrubs?topic=offers').set('Content-Type', 'text/csv');
    await scrub.send('email\nada@example.com\n').expect(200);
    expect(await latest()).toMatchObject({
      action: 'scrub.started',
      changes: { purpose: { to: 'topic' }, topic: { to: 'offers' } },
    });
  });

  it('records changes of topics', async () => {
    const as = world.as(world.alice);
    const topic = { name: 'News', default_subscription: 'opt_in' };
    const { body } = await as.post('/topics').send(topic).expect(201);
    await as.patch(`/topics/${body.id}`).send({ name: 'Letter' }).expect(200);
    await as.delete(`/topics/${body.id}`).expect(200);
    for (let turn = 0; turn < 2; turn++) {
      await as.post(`/topics/${body.id}/restore`).expect(200);
    }
    expect(await entries('?limit=4')).toMatchObject([
      { action: 'topic.restored', changes: { archived_at: { from: expect.any(String), to: null } } },
      { action: 'topic.archived', subject: { id: body.id, name: 'Letter' } },
      { action: 'topic.updated', changes: { name: { from: 'News', to: 'Letter' } } },
      { action: 'topic.created', changes: { key: { to: 'news' }, default_subscription: { to: 'opt_in' } } },
    ]);
  });

  it('records what the operator did on the command line', async () => {
    await cli('account create initech');
    await cli('account admit initech');
    await cli('account set initech --removal guarded');
    await cli('key create --account initech --name ci --scope audit:read');
    await cli('unsubscribe set --account initech --sender-name Initech');
    await cli('unsubscribe rotate --account initech');
    const { id } = JSON.parse((await cli('unsubscribe key --account initech --json')).stdout);
    await world.database.query(`UPDATE unsubscribe_keys SET created_at = created_at - interval '2 minutes'`);
    await cli('unsubscribe rotate --account initech');
    await world.database.query(`UPDATE unsubscribe_keys SET created_at = created_at - interval '2 minutes'`);
    await cli(`unsubscribe revoke ${id} --account initech --yes`);
    await cli('console invite ann@initech.example --account initech');
    const key = await createKey(world, ['audit:read'], 'initech');
    const logged = await entries('', key);
    expect(logged.map(({ action }) => action)).toEqual([
      'api_key.created',
      'person.invited',
      'unsubscribe_key.revoked',
      'unsubscribe_key.created',
      'unsubscribe_key.created',
      'settings.updated',
      'api_key.created',
      'settings.updated',
      'account.admitted',
      'account.created',
    ]);
    expect(logged.at(-1)!.actor).toEqual({ type: 'cli', id: null, name: expect.stringMatching(/./) });
    expect(logged[5]!.changes).toEqual({ sender_name: { from: null, to: 'Initech' } });
  });

  it('records nothing for a change that was not made', async () => {
    const before = await latest();
    const account = await world.app.get(AccountsService).get('acme');
    const key = { name: 'lost', scopes: ['rules:read' as const], expiresAt: null };
    const create = () =>
      world.app
        .get(ApiKeysService)
        .create({ accountId: account.id, actor: OPERATOR, deadline: Infinity }, key);
    const refuse = () => Promise.reject(new Error('the owner is away'));
    await expect(handOverFirst(create, refuse)).rejects.toThrow('the owner is away');
    expect(await latest()).toEqual(before);
  });

  it('records one deletion if two people delete the same thing at once', async () => {
    const as = world.as(world.alice);
    const newWebhook = { endpoint: 'https://example.com/hooks', events: ['suppression.added'] };
    const { body } = await as.post('/webhooks').send(newWebhook).expect(201);
    const webhook = await world.database.lockRow('webhooks', `id = '${body.id}'`);
    const deletions = Promise.all([as.delete(`/webhooks/${body.id}`), as.delete(`/webhooks/${body.id}`)]);
    await world.database.untilWaiting(2);
    await webhook.release();
    expect((await deletions).map(({ status }) => status).toSorted()).toEqual([200, 404]);
    const source = await createSource(world, 'postmark');
    const sources = world.app.get(SourceChangesService);
    await Promise.all([
      sources.deleteWithoutEvents({ actor: OPERATOR, deadline: performance.now() + 20_000 }, source),
      sources.deleteWithoutEvents({ actor: OPERATOR, deadline: performance.now() + 20_000 }, source),
    ]);
    const deleted = (await entries('?limit=20')).filter(({ subject }) =>
      [body.id, source.id].includes(subject.id),
    );
    expect(deleted.map(({ action }) => action).filter((action) => action.endsWith('.deleted'))).toEqual([
      'source.deleted',
      'webhook.deleted',
    ]);
  });

  it('records unsubscribe settings once, even if two people set them at once', async () => {
    const account = await world.app.get(AccountsService).get('acme');
    const settings = world.app.get(UnsubscribeSettingsService);
    const row = await world.database.lockRow('accounts', `id = ${account.id}`);
    const set = () => settings.update(account, OPERATOR, { senderName: 'Acme Ltd' });
    const updates = Promise.all([set(), set()]);
    await world.database.untilWaiting(2);
    await row.release();
    expect((await updates).map(({ senderName }) => senderName)).toEqual(['Acme Ltd', 'Acme Ltd']);
    const updated = (await entries('?limit=100')).filter(({ changes }) => 'sender_name' in changes);
    expect(updated).toHaveLength(1);
    const before = await latest();
    await settings.update(account, OPERATOR, {});
    expect(await latest()).toEqual(before);
  });

  it('contains no addresses of recipients', async () => {
    const before = await latest();
    await suppress(world, world.alice, ['ada@example.com']);
    await world.as(world.alice).post('/rules').send({ pattern: 'ada@example.com', effect: 'allow' });
    expect(await latest()).toEqual(before);
  });

  it('is filtered by actor, by action or kind of subject, and by time', async () => {
    const all = await entries('?limit=100');
    const oldest = all.at(-1) as Entry & { created_at: string };
    const matching = async (query: string) => (await entries(`?limit=100&${query}`)).map(({ id }) => id);
    const idsOf = (filter: (entry: Entry) => boolean) => all.filter(filter).map(({ id }) => id);
    const person = all.find(({ actor }) => actor.type === 'person')!.actor;
    for (const name of [person.name, person.id!]) {
      expect(await matching(`actor=${name}`)).toEqual(idsOf(({ actor }) => actor.id === person.id));
    }
    expect(await matching('actor=alice&action=webhook')).toEqual(
      idsOf(({ action, actor }) => actor.name === 'alice' && action.startsWith('webhook.')),
    );
    expect(await matching('action=api_key.created')).toEqual(
      idsOf(({ action }) => action === 'api_key.created'),
    );
    expect(await matching(`created_before=${oldest.created_at}`)).toEqual([]);
    expect(await matching(`created_after=${oldest.created_at}`)).not.toContain(oldest.id);
    expect(await matching('created_after=2026-01-15&created_before=2999-01-01')).toHaveLength(all.length);
    const wrong = world.as(world.alice);
    await wrong
      .get('/audit-log?action=key')
      .expect(400)
      .expect(/action must be one of/);
    await wrong.get('/audit-log?created_after=now').expect(400);
  });

  it('comes in pages, newest first', async () => {
    const [first, second] = await entries('?limit=2');
    expect(await entries(`?limit=1&after=${first!.id}`)).toEqual([second]);
    expect(await entries(`?limit=1&before=${second!.id}`)).toEqual([first]);
    await world.as(world.alice).get('/audit-log?limit=0').expect(400);
  });

  it('belongs to one account, and needs the scope audit:read', async () => {
    const theirs = await entries('', world.charlie);
    expect(theirs.map(({ subject }) => subject.name)).toEqual(['charlie', 'globex']);
    const { body } = await world.as(world.bob).get('/audit-log').expect(401);
    expect(body.name).toBe('restricted_api_key');
  });

  it.each([
    'UPDATE audit_entries SET actor_name = $$nobody$$',
    'DELETE FROM audit_entries',
    'TRUNCATE audit_entries',
  ])('cannot be rewritten in the database: %s', async (statement) => {
    await expect(world.database.query(statement)).rejects.toThrow(/audit_entries is append-only/);
  });

  it('is a page of the console, for admins', async () => {
    const { text } = await admin.get('/console/audit-log').expect(200);
    expect(text).toMatch(/News.*A topic was created.*>the API key alice \(…[0-9a-f]{8}\)<\/a>/s);
    expect(text).toMatch(
      /<strong>\w+ \(…[0-9a-f]{8}\)<\/strong>.*An API key was created.*at the command line<\/a>/s,
    );
    expect(text).toContain('>Audit log</a>');
    const { text: filtered } = await admin.get('/console/audit-log?action=topic&actor=alice').expect(200);
    expect(filtered).toContain('A topic was created');
    expect(filtered).not.toContain('An API key was created');
    await admin
      .get('/console/audit-log?created_after=soon')
      .expect(400)
      .expect(/value="soon"/);
    const editor = await signIn(world, 'editor');
    await editor.get('/console/audit-log').expect(403);
    expect((await editor.get('/console').expect(200)).text).not.toContain('Audit log');
  });
});
