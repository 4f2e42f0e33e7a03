import { PushWorker } from '../../src/provider-lists/push/push-worker.js';
import { startFakeBrevo, type FakeBrevo } from '../support/fake-providers/brevo.js';
import { failOnce, type FakeProvider } from '../support/fake-providers/fake-provider.js';
import { startFakeMailjet, type FakeMailjet } from '../support/fake-providers/mailjet.js';
import { startFakeMandrill, type FakeMandrill } from '../support/fake-providers/mandrill.js';
import {
  startFakeSparkPost,
  type FakeSparkPost,
  type SparkPostEntry,
} from '../support/fake-providers/sparkpost.js';
import { apply, compare, createList, linesOf, type LineBody } from '../support/provider-lists.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

const DATE = '2026-01-10T08:00:00.000Z';

describe('the provider list of', () => {
  let service: World;
  let world: World;
  let brevo: FakeBrevo;
  let sparkpost: FakeSparkPost;
  let mailjet: FakeMailjet;
  let mandrill: FakeMandrill;
  let fakes: FakeProvider[];
  beforeAll(async () => {
    [brevo, sparkpost, mailjet, mandrill] = await Promise.all([
      startFakeBrevo(),
      startFakeSparkPost(),
      startFakeMailjet(),
      startFakeMandrill(),
    ]);
    fakes = [brevo, sparkpost, mailjet, mandrill];
    service = await createWorld({
      ...LOOPBACK,
      PROVIDER_API_URL_BREVO: brevo.url,
      PROVIDER_API_URL_SPARKPOST: sparkpost.url,
      PROVIDER_API_URL_MAILJET: mailjet.url,
      PROVIDER_API_URL_MANDRILL: mandrill.url,
    });
  });
  beforeEach(async () => (world = await withNewAccounts(service)));
  afterAll(async () => {
    await service.close();
    await Promise.all(fakes.map((fake) => fake.close()));
  });

  const create = (provider: string, credentials: object, scope: object = {}) =>
    createList(world, world.alice, { provider, name: provider, scope, credentials });
  const test = async (id: string) =>
    (await world.as(world.alice).post(`/provider-lists/${id}/test`).expect(200)).body;
  const refused = async (id: string): Promise<void> => {
    fakes.forEach((fake) => fake.faults.push(failOnce(401)));
    expect(await test(id)).toMatchObject({ ok: false });
    fakes.forEach((fake) => (fake.faults.length = 0));
  };
  const byAddress = (lines: LineBody[]) => new Map(lines.map((line) => [line.email, line]));
  const numbered = <Item>(count: number, make: (index: string) => Item): Item[] =>
    Array.from({ length: count }, (_, index) => make(String(index).padStart(4, '0')));

  it('Brevo pages by offset, and leaves what concerns one sender', async () => {
    const list = await create('brevo', { api_key: 'xkeysib-1' });
    expect(await compare(world, world.alice, list)).toMatchObject({ status: 'ready', entries: 0 });
    const contact = (email: string, code: string, senderEmail = '') => ({
      email,
      senderEmail,
      reason: { code, message: 'No such user' },
      blockedAt: '2026-01-10T08:00:00Z',
    });
    brevo.contacts.push(
      ...numbered(200, (index) => contact(`br${index}@example.com`, 'hardBounce')),
      contact('br-admin@example.com', 'adminBlocked'),
      contact('br-one@example.com', 'unsubscribedViaEmail', 'news@example.net'),
      contact('br-both@example.com', 'contactFlaggedAsSpam', 'news@example.net'),
      contact('br-both@example.com', 'hardBounce'),
    );
    const plan = await compare(world, world.alice, list);
    expect(plan).toMatchObject({ status: 'ready', entries: 203, counts: { pull: 202, cannot: 1 } });
    const lines = byAddress(await linesOf(world, world.alice, list, plan.id, { limit: '100' }));
    expect(lines.get('br-one@example.com')).toMatchObject({
      kind: 'cannot',
      reason: expect.stringContaining('one sender'),
    });
    expect(lines.get('br-both@example.com')).toMatchObject({
      kind: 'pull',
      cause: 'bounce',
      listed_at: DATE,
    });
    expect(lines.get('br-admin@example.com')).toMatchObject({ list: 'blockedContacts', cause: 'manual' });
    expect(brevo.requests[0]!.headers.host).toBe('api.brevo.com');
    await suppress(world, world.alice, ['here@example.com']);
    const { id } = await compare(world, world.alice, list);
    expect(await linesOf(world, world.alice, list, id, { kind: 'push' })).toEqual([]);
    await refused(list);
  });

  it('SparkPost is the one of the master account, or of a subaccount, with a line for each address', async () => {
    const entry = (
      recipient: string,
      source: string,
      more: Partial<SparkPostEntry> = {},
    ): SparkPostEntry => ({
      recipient,
      type: 'transactional',
      source,
      created: '2026-01-10T08:00:00+00:00',
      updated: '2026-01-11T08:00:00+00:00',
      ...more,
    });
    sparkpost.entries.push(
      ...numbered(999, (index) => entry(`sp${index}@example.com`, 'Bounce Rule')),
      entry('sp-both@example.com', 'Bounce Rule'),
      entry('sp-both@example.com', 'Spam Complaint', { type: 'non_transactional' }),
      entry('sp-list@example.com', 'List Unsubscribe', { list_id: 'news' }),
      entry('sp-sub@example.com', 'Manually Added', { subaccount_id: '42' }),
    );
    const master = await create('sparkpost', { api_key: 'sp-key-1' });
    const plan = await compare(world, world.alice, master);
    expect(plan).toMatchObject({ status: 'ready', entries: 1_000, counts: { pull: 1_000 } });
    const lines = byAddress(await linesOf(world, world.alice, master, plan.id, { limit: '100' }));
    expect(lines.get('sp-both@example.com')).toMatchObject({ cause: 'complaint', listed_at: DATE });
    const sub = await create('sparkpost', { api_key: 'sp-key-1' }, { subaccount: '42', region: 'eu' });
    const { id } = await compare(world, world.alice, sub);
    expect(await linesOf(world, world.alice, sub, id)).toMatchObject([
      { email: 'sp-sub@example.com', kind: 'pull', cause: 'manual' },
    ]);
    expect(sparkpost.requests.at(-1)!.headers).toMatchObject({
      host: 'api.eu.sparkpost.com',
      'x-msys-subaccount': '42',
    });
    await refused(master);
  });

  it('SparkPost gets entries for all kinds of mail, and keeps those of its compliance', async () => {
    const made = { provider: 'sparkpost', name: 'SparkPost', scope: { subaccount: '77' } };
    const credentials = { api_key: 'sp-key-1' };
    const list = await createList(world, world.alice, { ...made, credentials, push_additions: true });
    const entry = (recipient: string, source: string): SparkPostEntry => ({
      recipient,
      type: 'transactional',
      source,
      created: '2026-01-10T08:00:00+00:00',
      updated: '2026-01-10T08:00:00+00:00',
      subaccount_id: '77',
    });
    sparkpost.entries.push(
      entry('law@example.com', 'Compliance'),
      entry('spam@example.com', 'Spam Complaint'),
    );
    const of77 = () => sparkpost.entries.filter(({ subaccount_id: id }) => id === '77');
    const { id } = await compare(world, world.alice, list);
    await apply(world, world.alice, list, id);
    await suppress(world, world.alice, ['here@example.com']);
    const settled = (isDone: () => Promise<boolean>) =>
      until(async () => {
        await world.app.get(PushWorker).run();
        return isDone();
      });
    await settled(() => Promise.resolve(of77().length === 4));
    expect(of77().slice(2)).toMatchObject([
      { recipient: 'here@example.com', type: 'transactional' },
      { recipient: 'here@example.com', type: 'non_transactional' },
    ]);
    const as = world.as(world.alice);
    await as.delete('/suppressions/law@example.com').expect(200);
    await as.delete('/suppressions/spam@example.com').expect(200);
    const emails = ['law@example.com', 'spam@example.com'];
    const consent = { kind: 'recipient_request', reference: 'Case 4711' };
    await as.post(`/provider-lists/${list}/removals`).send({ emails, consent }).expect(202);
    await settled(async () => {
      const { body } = await as.get(`/provider-lists/${list}`).expect(200);
      return body.pushes.pending === 0 && body.pushes.failed === 1;
    });
    expect(of77().map(({ recipient }) => recipient)).toEqual([
      'law@example.com',
      'here@example.com',
      'here@example.com',
    ]);
    expect((await as.get(`/provider-lists/${list}`).expect(200)).body.status).toBe('active');
  });

  it('Brevo removes nothing that no person has confirmed, because it has entries of single senders', async () => {
    const blocked = { email: 'lifted@example.com', blockedAt: '2026-01-10T08:00:00Z' };
    brevo.contacts.length = 0;
    brevo.contacts.push(
      { ...blocked, senderEmail: '', reason: { code: 'hardBounce', message: 'No such user' } },
      { ...blocked, senderEmail: 'shop@example.com', reason: { code: 'contactFlaggedAsSpam', message: '' } },
    );
    const list = await create('brevo', { api_key: 'xkeysib-2' });
    const { id } = await compare(world, world.alice, list);
    await apply(world, world.alice, list, id);
    await world.as(world.alice).delete('/suppressions/lifted@example.com').expect(200);
    const { body } = await world
      .as(world.alice)
      .patch(`/provider-lists/${list}`)
      .send({ push_removals: true })
      .expect(400);
    expect(JSON.stringify(body)).toContain("a person's confirmation");
    expect((await compare(world, world.alice, list)).counts).toMatchObject({ remove: 0, cannot: 1 });
  });

  it('Mailjet has the contacts that are excluded from campaigns', async () => {
    mailjet.contacts.push(
      ...numbered(1_000, (index) => ({
        ID: Number(index),
        Email: `mj${index}@example.com`,
        IsExcludedFromCampaigns: true,
        IsSpamComplaining: false,
        ExclusionFromCampaignsUpdatedAt: '2026-01-10T08:00:00Z',
      })),
      {
        ID: 1_001,
        Email: 'mj-spam@example.com',
        IsExcludedFromCampaigns: true,
        IsSpamComplaining: true,
        ExclusionFromCampaignsUpdatedAt: '2026-01-10T08:00:00Z',
      },
      {
        ID: 1_002,
        Email: 'mj-reader@example.com',
        IsExcludedFromCampaigns: false,
        IsSpamComplaining: false,
        ExclusionFromCampaignsUpdatedAt: '',
      },
    );
    const list = await create('mailjet', { api_key: 'public-1', secret_key: 'private-1' });
    expect(await test(list)).toMatchObject({ ok: true, permissions: [{ name: 'GET /v3/REST/contact' }] });
    const plan = await compare(world, world.alice, list);
    expect(plan).toMatchObject({ status: 'ready', entries: 1_001, counts: { pull: 1_001 } });
    const lines = byAddress(await linesOf(world, world.alice, list, plan.id, { limit: '100' }));
    expect(lines.get('mj-spam@example.com')).toMatchObject({ cause: 'complaint', listed_at: DATE });
    expect(lines.get('mj0000@example.com')).toMatchObject({
      cause: 'unsubscribe',
      list: 'excluded_contacts',
    });
    await refused(list);
  });

  it('Mandrill leaves subaccounts and soft bounces, and fails where it may have more', async () => {
    const reject = (email: string, reason: string, subaccount: string | null = null) => ({
      email,
      reason,
      detail: '550 no such user',
      created_at: '2026-01-10 08:00:00',
      last_event_at: '2026-01-10 08:00:00',
      expires_at: null,
      expired: false,
      subaccount,
    });
    mandrill.rejects.push(
      reject('md-hard@example.com', 'hard-bounce'),
      reject('md-soft@example.com', 'soft-bounce'),
      reject('md-sub@example.com', 'spam', 'shop'),
    );
    const list = await create('mandrill', { api_key: 'md-1' });
    const plan = await compare(world, world.alice, list);
    expect(plan).toMatchObject({ status: 'ready', entries: 2, counts: { pull: 1, cannot: 1 } });
    await apply(world, world.alice, list, plan.id);
    const shop = await create('mandrill', { api_key: 'md-1' }, { subaccount: 'shop' });
    const { id } = await compare(world, world.alice, shop);
    expect(await linesOf(world, world.alice, shop, id, { kind: 'pull' })).toMatchObject([
      { email: 'md-sub@example.com', cause: 'complaint', listed_at: DATE },
    ]);
    mandrill.rejects.push(...numbered(1_000, (index) => reject(`md${index}@example.com`, 'hard-bounce')));
    expect(await compare(world, world.alice, list)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('Import a file'),
    });
    await refused(list);
  });
});
