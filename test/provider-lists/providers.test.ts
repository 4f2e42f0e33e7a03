import { randomUUID } from 'node:crypto';
import { PushWorker } from '../../src/provider-lists/push/push-worker.js';
import { type FakeBrevo, startFakeBrevo } from '../support/fake-providers/brevo.js';
import { cutOff, failOnce, type FakeProvider, type Fault } from '../support/fake-providers/fake-provider.js';
import { type FakeMailgun, startFakeMailgun } from '../support/fake-providers/mailgun.js';
import { type FakeMailjet, startFakeMailjet } from '../support/fake-providers/mailjet.js';
import { type FakeMandrill, startFakeMandrill } from '../support/fake-providers/mandrill.js';
import { type FakePostmark, startFakePostmark } from '../support/fake-providers/postmark.js';
import { type FakeResend, startFakeResend } from '../support/fake-providers/resend.js';
import { type FakeSendGrid, startFakeSendGrid } from '../support/fake-providers/sendgrid.js';
import { type FakeSes, startFakeSes } from '../support/fake-providers/ses.js';
import {
  type FakeSparkPost,
  type SparkPostEntry,
  startFakeSparkPost,
} from '../support/fake-providers/sparkpost.js';
import {
  apply,
  compare,
  createComparedList,
  createComparedSesList,
  createList,
  type LineBody,
  linesOf,
  untilPushed,
} from '../support/provider-lists.js';
import { createSource, postResend } from '../support/sources.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

const DOMAIN = 'mg.example.com';

const SECONDS = Date.parse('2026-01-10T08:00:00Z') / 1_000;

const DATE = '2026-01-10T08:00:00.000Z';

describe('the provider list of', () => {
  let world: World;
  let sendgrid: FakeSendGrid;
  let mailgun: FakeMailgun;
  let postmark: FakePostmark;
  let resend: FakeResend;
  let fakes: FakeProvider[];
  beforeAll(async () => {
    [sendgrid, mailgun, postmark, resend] = await Promise.all([
      startFakeSendGrid(),
      startFakeMailgun(DOMAIN),
      startFakePostmark('outbound'),
      startFakeResend(),
    ]);
    fakes = [sendgrid, mailgun, postmark, resend];
    world = await createWorld({
      ...LOOPBACK,
      PROVIDER_API_URL_SENDGRID: sendgrid.url,
      PROVIDER_API_URL_MAILGUN: mailgun.url,
      PROVIDER_API_URL_POSTMARK: postmark.url,
      PROVIDER_API_URL_RESEND: resend.url,
    });
  });
  afterAll(async () => {
    await world.close();
    await Promise.all(fakes.map((fake) => fake.close()));
  });

  const numbered = <Item>(count: number, make: (index: string) => Item): Item[] =>
    Array.from({ length: count }, (_, index) => make(String(index).padStart(4, '0')));
  const test = async (id: string) =>
    (await world.as(world.alice).post(`/provider-lists/${id}/test`).expect(200)).body;

  it('SendGrid has four lists, of which soft bounces are not pulled, and reads them to an empty page', async () => {
    sendgrid.lists.bounces = numbered(500, (index) => ({
      created: SECONDS,
      email: `bounce${index}@example.com`,
      reason: '550 5.1.1 no such user',
      status: '5.1.1',
    }));
    sendgrid.lists.blocks = [
      { created: SECONDS, email: 'block@example.com', reason: 'busy', status: '4.0.0' },
    ];
    sendgrid.lists.invalid_emails = [{ created: SECONDS, email: 'invalid@example.com', reason: 'no MX' }];
    sendgrid.lists.spam_reports = [{ created: SECONDS, email: 'spam@example.com', ip: '192.0.2.1' }];
    sendgrid.lists.unsubscribes = [{ created: SECONDS, email: 'unsubscribed@example.com' }];
    sendgrid.lists.bounces.push(
      { created: SECONDS, email: 'soft@example.com', reason: 'full', status: '4.2.2' },
      { created: SECONDS, email: 'not an address', reason: 'x', status: '5.1.3' },
      { created: SECONDS, email: 'nul\0@example.com', reason: 'x', status: '5.1.3' },
    );
    const list = await createList(world, world.alice, {
      provider: 'sendgrid',
      name: 'SendGrid',
      scope: { subuser: 'shop' },
      credentials: { api_key: 'SG.key' },
    });
    sendgrid.pageSize = 200;
    const plan = await compare(world, world.alice, list);
    expect(plan).toMatchObject({ status: 'ready', entries: 506, counts: { pull: 503, cannot: 3 } });
    const cannot = await linesOf(world, world.alice, list, plan.id, { kind: 'cannot' });
    expect(cannot).toMatchObject([
      { email: 'not an address', list: 'bounces', reason: 'This is not an email address.' },
      { email: 'nul\ufffd@example.com', reason: 'This is not an email address.' },
      { email: 'soft@example.com', reason: expect.stringContaining('soft bounce') },
    ]);
    const pull = await linesOf(world, world.alice, list, plan.id, { kind: 'pull', limit: '100' });
    expect(pull.slice(-3)).toMatchObject([
      { email: 'invalid@example.com', list: 'invalid_emails', cause: 'bounce', listed_at: DATE },
      { email: 'spam@example.com', list: 'spam_reports', cause: 'complaint' },
      { email: 'unsubscribed@example.com', list: 'unsubscribes', cause: 'unsubscribe' },
    ]);
    await apply(world, world.alice, list, plan.id);
    const history = await world
      .as(world.alice)
      .get('/suppressions/bounce0000@example.com/history')
      .expect(200);
    expect(history.body.data[0]).toMatchObject({ note: '5.1.1 550 5.1.1 no such user', occurred_at: DATE });
    expect(sendgrid.requests[0]!.headers).toMatchObject({
      'on-behalf-of': 'shop',
      host: 'api.sendgrid.com',
    });
    sendgrid.faults.push((response, request) =>
      request.url!.includes('spam_reports') ? failOnce(403)(response, request) : false,
    );
    expect(await test(list)).toMatchObject({
      ok: false,
      permissions: expect.arrayContaining([
        expect.objectContaining({ name: 'suppression.bounces.read', allowed: true }),
        expect.objectContaining({ name: 'suppression.invalid_emails.read', allowed: true }),
        expect.objectContaining({ name: 'suppression.spam_reports.read', allowed: false }),
        expect.objectContaining({ name: 'suppression.unsubscribes.read', allowed: true }),
      ]),
    });
    sendgrid.faults.length = 0;
  });

  it('Mailgun follows the next page to its empty end, and leaves opt-outs of one tag', async () => {
    mailgun.lists.bounces = numbered(1_001, (index) => ({
      address: `mg${index}@example.com`,
      code: '550',
      error: 'no mailbox',
      created_at: 'Sat, 10 Jan 2026 08:00:00 UTC',
    }));
    mailgun.lists.complaints = [{ address: 'mg-spam@example.com' }];
    const created_at = 'Sat, 10 Jan 2026 08:00:00 UTC';
    Object.assign(mailgun.lists.complaints[0]!, { created_at });
    mailgun.lists.unsubscribes = [
      { address: 'mg-all@example.com', tags: ['*'], created_at } as { address: string },
      { address: 'mg-tag@example.com', tags: ['news'], created_at } as { address: string },
    ];
    const list = await createList(world, world.alice, {
      provider: 'mailgun',
      name: 'Mailgun',
      scope: { domain: DOMAIN, region: 'eu' },
      credentials: { api_key: 'key-1' },
    });
    const plan = await compare(world, world.alice, list);
    expect(plan).toMatchObject({ status: 'ready', entries: 1_004, counts: { pull: 1_003 } });
    const cannot = await linesOf(world, world.alice, list, plan.id, { kind: 'cannot', limit: '100' });
    expect(cannot.find(({ email }) => email === 'mg-tag@example.com')).toMatchObject({
      list: 'unsubscribes',
      reason: expect.stringContaining('one kind of mail'),
    });
    expect(mailgun.requests.filter(({ url }) => url.pathname.endsWith('/bounces'))).toHaveLength(3);
    expect(mailgun.requests[0]!.headers.host).toBe('api.eu.mailgun.net');
  });

  it('Postmark answers with the whole list at once, and tells opt-outs from manual entries', async () => {
    postmark.suppressions.push(
      ...numbered(2_500, (index) => ({
        EmailAddress: `pm${index}@example.com`,
        SuppressionReason: 'HardBounce',
        Origin: 'Recipient',
        CreatedAt: '2026-01-10T08:00:00-00:00',
      })),
      {
        EmailAddress: 'pm-out@example.com',
        SuppressionReason: 'ManualSuppression',
        Origin: 'Recipient',
        CreatedAt: '2026-01-10T08:00:00Z',
      },
      {
        EmailAddress: 'pm-team@example.com',
        SuppressionReason: 'ManualSuppression',
        Origin: 'Customer',
        CreatedAt: '2026-01-10T08:00:00Z',
      },
    );
    const list = await createList(world, world.alice, {
      provider: 'postmark',
      name: 'Postmark',
      scope: { stream: 'outbound' },
      credentials: { server_token: 'token-1' },
    });
    expect(await test(list)).toMatchObject({ ok: true });
    postmark.faults.push(cutOff);
    const plan = await compare(world, world.alice, list);
    expect(plan).toMatchObject({ status: 'ready', entries: 2_502, counts: { pull: 2_502 } });
    const pull = await linesOf(world, world.alice, list, plan.id, { kind: 'pull', limit: '100' });
    expect(pull.find(({ email }) => email === 'pm-out@example.com')).toMatchObject({ cause: 'unsubscribe' });
    expect(pull.find(({ email }) => email === 'pm-team@example.com')).toMatchObject({ cause: 'manual' });
    postmark.faults.push((response) => Boolean(response.writeHead(200).end('{"Other":[]}')));
    expect(await compare(world, world.alice, list)).toMatchObject({ status: 'failed' });
  });

  it('Resend pages by the last id, in the order of its entries', async () => {
    resend.suppressions.push(
      ...numbered(201, (index) => ({
        id: `0198a5f0-0000-7000-8000-00000000${index}`,
        email: `re${index}@example.com`,
        origin: ['bounce', 'complaint', 'manual'][Number(index) % 3]!,
        created_at: '2026-01-10 08:00:00.123456+00',
      })),
    );
    const list = await createList(world, world.alice, {
      provider: 'resend',
      name: 'Resend',
      scope: {},
      credentials: { api_key: 're_1' },
    });
    const plan = await compare(world, world.alice, list);
    expect(plan).toMatchObject({ status: 'ready', entries: 201, counts: { pull: 201 } });
    expect(resend.requests).toHaveLength(3);
  });
});

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

  it('Brevo pages by offset to an empty page, and leaves what concerns one sender', async () => {
    brevo.pageSize = 60;
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

  it('SparkPost has the date of the latest of several complaints, on the same page or on another', async () => {
    const complaint = (recipient: string, created: string): SparkPostEntry => ({
      recipient,
      type: created < DATE ? 'transactional' : 'non_transactional',
      source: 'Spam Complaint',
      created,
      updated: created,
      subaccount_id: '78',
    });
    const earlier = '2026-01-09T08:00:00+00:00';
    sparkpost.entries.push(
      complaint('ada@example.com', earlier),
      complaint('bob@example.com', earlier),
      complaint('bob@example.com', DATE),
      complaint('cleo@example.com', DATE),
      complaint('cleo@example.com', earlier),
      ...numbered(1_000, (index) => complaint(`sp${index}@example.com`, DATE)),
      complaint('ada@example.com', DATE),
      complaint('sp0000@example.com', earlier),
    );
    const list = await create('sparkpost', { api_key: 'sp-key-1' }, { subaccount: '78' });
    const { id } = await compare(world, world.alice, list);
    for (const email of ['ada@example.com', 'bob@example.com', 'cleo@example.com', 'sp0000@example.com']) {
      expect(await linesOf(world, world.alice, list, id, { email })).toMatchObject([{ listed_at: DATE }]);
    }
  });

  it('SparkPost loses a bounce that was lifted here, without a plan, unless it also has a complaint', async () => {
    const entry = (recipient: string, source: string): SparkPostEntry => ({
      recipient,
      type: source === 'Spam Complaint' ? 'non_transactional' : 'transactional',
      source,
      created: '2026-01-10T08:00:00+00:00',
      updated: '2026-01-10T08:00:00+00:00',
      subaccount_id: '79',
    });
    sparkpost.entries.push(
      entry('gone@example.com', 'Bounce Rule'),
      entry('both@example.com', 'Bounce Rule'),
    );
    const made = { provider: 'sparkpost', name: 'SparkPost', scope: { subaccount: '79' } };
    const credentials = { api_key: 'sp-key-1' };
    const list = await createList(world, world.alice, { ...made, credentials, push_removals: true });
    const { id } = await compare(world, world.alice, list);
    await apply(world, world.alice, list, id);
    sparkpost.entries.push(entry('both@example.com', 'Spam Complaint'));
    const as = world.as(world.alice);
    await as.delete('/suppressions/both@example.com').expect(200);
    await as.delete('/suppressions/gone@example.com').expect(200);
    const of79 = () => sparkpost.entries.filter(({ subaccount_id: subaccount }) => subaccount === '79');
    await until(async () => {
      await world.app.get(PushWorker).run();
      const { pushes } = (await as.get(`/provider-lists/${list}`).expect(200)).body;
      return pushes.pending === 0 && of79().length < 3;
    });
    expect(of79().map(({ recipient }) => recipient)).toEqual(['both@example.com', 'both@example.com']);
  });

  it('SparkPost gets entries for all kinds of mail, and keeps those of its compliance and of single lists', async () => {
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
      { ...entry('spam@example.com', 'List Unsubscribe'), list_id: 'news.example.com' },
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
    await settled(() => Promise.resolve(of77().length === 5));
    expect(of77().slice(3)).toMatchObject([
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
      'spam@example.com',
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

  it('Mailjet has the contacts that are excluded from campaigns, on pages of any size', async () => {
    mailjet.pageSize = 300;
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
    const page = JSON.stringify({ Data: mailjet.contacts.slice(0, 2) });
    const send: Fault = (response) => Boolean(response.writeHead(200).end(page));
    mailjet.faults.push(send, send);
    expect(await compare(world, world.alice, list)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('the same page twice'),
    });
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

const ADA = 'ada@example.com';

const CONSENT = { kind: 'recipient_request', reference: 'Support case 4711' };

const PUSH = { push_additions: true, push_removals: true };

describe('pushing to', () => {
  let service: World;
  let world: World;
  let ses: FakeSes;
  let mailgun: FakeMailgun;
  let postmark: FakePostmark;
  let resend: FakeResend;
  beforeAll(async () => {
    [ses, mailgun, postmark, resend] = await Promise.all([
      startFakeSes(),
      startFakeMailgun(DOMAIN),
      startFakePostmark('outbound'),
      startFakeResend(),
    ]);
    service = await createWorld({
      ...LOOPBACK,
      PROVIDER_API_URL_SES: ses.url,
      PROVIDER_API_URL_MAILGUN: mailgun.url,
      PROVIDER_API_URL_POSTMARK: postmark.url,
      PROVIDER_API_URL_RESEND: resend.url,
    });
  });
  beforeEach(async () => {
    world = await withNewAccounts(service);
    ses.entries.clear();
    ses.suppressedReasons = ['BOUNCE', 'COMPLAINT'];
  });
  afterAll(async () => {
    await service.close();
    await Promise.all([ses, mailgun, postmark, resend].map((fake) => fake.close()));
  });

  const as = () => world.as(world.alice);
  const lift = (email: string) => as().delete(`/suppressions/${email}`).expect(200);
  const report = (type: string, email: string) => as().post('/events').send({ type, email }).expect(200);
  const backlogOf = async (list: string) =>
    (await as().get(`/provider-lists/${list}`).expect(200)).body.pushes;
  const settled = (list: string) => untilPushed(world, list);

  it('SES keeps the cause, puts nothing over a complaint, and finds entries by their exact case', async () => {
    const list = await createComparedSesList(world, world.alice, PUSH);
    ses.list('eve@example.com', 'COMPLAINT');
    await report('bounce', ADA);
    await report('bounce', 'eve@example.com');
    await settled(list);
    expect(ses.entries.get(ADA)).toMatchObject({ Reason: 'BOUNCE' });
    expect(ses.entries.get('eve@example.com')).toMatchObject({ Reason: 'COMPLAINT' });
    ses.list('Grace@Example.com', 'BOUNCE');
    const { id } = await compare(world, world.alice, list);
    await apply(world, world.alice, list, id);
    await lift('grace@example.com');
    await lift('eve@example.com');
    await settled(list);
    expect([...ses.entries.keys()]).toEqual(['eve@example.com', ADA]);
  });

  it('SES leaves a bounce that has become a complaint since', async () => {
    const list = await createComparedSesList(world, world.alice, { push_removals: true });
    ses.list(ADA, 'BOUNCE');
    const { id } = await compare(world, world.alice, list);
    await apply(world, world.alice, list, id);
    ses.list(ADA, 'COMPLAINT', new Date(Date.now() - 1_000).toISOString());
    await lift(ADA);
    await settled(list);
    expect(ses.entries.get(ADA)).toMatchObject({ Reason: 'COMPLAINT' });
    await as()
      .post(`/provider-lists/${list}/removals`)
      .send({ emails: [ADA], consent: CONSENT })
      .expect(202);
    await settled(list);
    expect(ses.entries.size).toBe(0);
  });

  it('SES keeps a complaint that came between a failed attempt and the next one', async () => {
    const list = await createComparedSesList(world, world.alice, PUSH);
    ses.faults.push(failOnce(503));
    await report('complaint', ADA);
    await until(async () => {
      await world.app.get(PushWorker).run();
      return (await backlogOf(list)).pending === 1 && ses.faults.length === 0;
    });
    ses.list(ADA, 'COMPLAINT', new Date().toISOString());
    await world.database.query('UPDATE provider_lists SET push_paused_until = NULL WHERE id = $1', [list]);
    await world.database.query(
      'UPDATE provider_list_pushes SET next_attempt_at = now() WHERE provider_list_id = $1',
      [list],
    );
    await settled(list);
    await lift(ADA);
    await settled(list);
    expect(ses.entries.get(ADA)).toMatchObject({ Reason: 'COMPLAINT' });
  });

  it('Mailgun keeps its own complaint that was reported here', async () => {
    const list = await createComparedList(world, world.alice, {
      provider: 'mailgun',
      name: 'Mailgun',
      scope: { domain: DOMAIN },
      credentials: { api_key: 'key-1' },
      ...PUSH,
    });
    mailgun.lists.complaints = [{ address: 'eve@example.com', created_at: new Date().toUTCString() }];
    await report('complaint', 'eve@example.com');
    await settled(list);
    await lift('eve@example.com');
    await settled(list);
    expect(mailgun.lists.complaints).toHaveLength(1);
    expect(mailgun.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    mailgun.lists.complaints = [];
    await as().delete(`/provider-lists/${list}`).expect(200);
  });

  it('SES says which causes have no effect, instead of adding them', async () => {
    ses.suppressedReasons = ['COMPLAINT'];
    const list = await createComparedSesList(world, world.alice, PUSH);
    await report('bounce', ADA);
    await settled(list);
    expect(ses.entries.size).toBe(0);
    const plan = await compare(world, world.alice, list);
    expect(plan.counts).toMatchObject({ cannot: 1, push: 0 });
    const [line] = await linesOf(world, world.alice, list, plan.id, { kind: 'cannot' });
    expect(line!.reason).toContain('no effect');
  });

  it('SES has settings of its own for a tenant, which uses the list of the account by default', async () => {
    const scope = { region: 'eu-west-1', tenant: 'shop' };
    ses.suppressedReasons = [];
    ses.tenants.set('shop', { SuppressionScope: 'TENANT', SuppressedReasons: ['BOUNCE'] });
    const list = await createComparedSesList(world, world.alice, { ...PUSH, scope });
    await report('bounce', ADA);
    await settled(list);
    expect([...ses.entries.keys()]).toEqual([ADA]);
    ses.tenants.set('shop', { SuppressionScope: 'TENANT' });
    await report('bounce', 'alan@example.com');
    await settled(list);
    expect([...ses.entries.keys()]).toEqual([ADA]);
    ses.suppressedReasons = ['BOUNCE', 'COMPLAINT'];
    ses.tenants.set('shop', { SuppressionScope: 'ACCOUNT' });
    await report('bounce', 'grace@example.com');
    await settled(list);
    expect([...ses.entries.keys()]).toEqual([ADA]);
    expect((await compare(world, world.alice, list)).counts).toMatchObject({ cannot: 2, push: 0 });
  });

  it('SES is asked once a plan which causes have an effect, whatever the number of its pages', async () => {
    const list = await createComparedSesList(world, world.alice, PUSH);
    ['a', 'b', 'c'].forEach((name) => ses.list(`${name}@example.com`));
    ses.pageSize = 1;
    ses.requests.length = 0;
    await compare(world, world.alice, list);
    ses.pageSize = 1_000;
    const paths = ses.requests.map(({ url }) => url.pathname);
    expect(paths.filter((path) => path.endsWith('/account'))).toHaveLength(1);
    expect(paths).toHaveLength(4);
  });

  it('SES may be too busy at first to say which causes have an effect', async () => {
    const list = await createComparedSesList(world, world.alice, PUSH);
    ses.faults.push(
      (response, request) => request.url!.endsWith('/account') && failOnce(429)(response, request),
    );
    ses.list(ADA);
    expect(await compare(world, world.alice, list)).toMatchObject({ status: 'ready', entries: 1 });
    expect(ses.faults).toEqual([]);
  });

  it('Mailgun keeps the cause and the date', async () => {
    const list = await createComparedList(world, world.alice, {
      provider: 'mailgun',
      name: 'Mailgun',
      scope: { domain: DOMAIN },
      credentials: { api_key: 'key-1' },
      ...PUSH,
    });
    await report('complaint', 'eve@example.com');
    await report('bounce', ADA);
    await settled(list);
    expect(mailgun.lists.complaints).toMatchObject([{ address: 'eve@example.com' }]);
    expect(mailgun.lists.bounces).toMatchObject([{ address: ADA }]);
    const plan = await compare(world, world.alice, list);
    expect(plan.counts).toMatchObject({ agreed: 2, push: 0, pull: 0 });
    await apply(world, world.alice, list, plan.id);
    await lift('eve@example.com');
    await lift(ADA);
    await settled(list);
    expect(mailgun.lists).toEqual({ bounces: [], complaints: [], unsubscribes: [] });
  });

  it('Postmark fails for one address and works for the others; complaints and opt-outs stay', async () => {
    const list = await createComparedList(world, world.alice, {
      provider: 'postmark',
      name: 'Postmark',
      scope: { stream: 'outbound' },
      credentials: { server_token: 'token-1' },
      ...PUSH,
    });
    const emails = [ADA, 'refused@example.com', 'grace@example.com'];
    await as().post('/suppressions/batch/add').send({ emails }).expect(201);
    await settled(list);
    const listed = () => postmark.suppressions.map(({ EmailAddress }) => EmailAddress);
    expect(listed()).toEqual([ADA, 'grace@example.com']);
    const { body } = await as().get(`/provider-lists/${list}/pushes`).query({ status: 'failed' }).expect(200);
    expect(body.data).toMatchObject([{ email: 'refused@example.com', action: 'add', attempts: 1 }]);
    const byRecipient = { Origin: 'Recipient', CreatedAt: '2026-01-10T08:00:00Z' };
    postmark.suppressions.push(
      { EmailAddress: 'eve@example.com', SuppressionReason: 'SpamComplaint', ...byRecipient },
      { EmailAddress: 'alan@example.com', SuppressionReason: 'ManualSuppression', ...byRecipient },
    );
    const plan = await compare(world, world.alice, list);
    expect(plan.counts).toMatchObject({ pull: 2, agreed: 2, cannot: 1, push: 0 });
    await apply(world, world.alice, list, plan.id);
    await lift(ADA);
    await lift('eve@example.com');
    await lift('alan@example.com');
    await settled(list);
    const sent = { emails: ['eve@example.com', 'alan@example.com'], consent: CONSENT };
    const removal = await as().post(`/provider-lists/${list}/removals`).send(sent).expect(202);
    expect(removal.body.data).toMatchObject([{ status: 'cannot', lists: [] }, { status: 'cannot' }]);
    expect(listed()).toEqual(['grace@example.com', 'eve@example.com', 'alan@example.com']);
  });

  it('Resend calls everything manual, and removes a bounce only if it is one', async () => {
    const list = await createComparedList(world, world.alice, {
      provider: 'resend',
      name: 'Resend',
      scope: {},
      credentials: { api_key: 're_1' },
      ...PUSH,
    });
    await report('bounce', ADA);
    await settled(list);
    expect(resend.suppressions).toMatchObject([{ email: ADA, origin: 'manual' }]);
    expect((await compare(world, world.alice, list)).counts).toMatchObject({ agreed: 1, pull: 0 });
    const created_at = '2026-01-10 08:00:00+00';
    resend.suppressions.push({ id: 'eve', email: 'eve@example.com', origin: 'complaint', created_at });
    await report('bounce', 'eve@example.com');
    await settled(list);
    await lift(ADA);
    await lift('eve@example.com');
    await settled(list);
    expect(resend.suppressions).toMatchObject([{ email: 'eve@example.com', origin: 'complaint' }]);
    await as().delete(`/provider-lists/${list}`).expect(200);
    resend.suppressions = [];
  });

  it('Resend reports an entry of this service as manual, which adds no cause', async () => {
    const list = await createComparedList(world, world.alice, {
      provider: 'resend',
      name: 'Resend',
      scope: {},
      credentials: { api_key: 're_1' },
      ...PUSH,
    });
    const source = await createSource(world, 'resend', { account: world.acme.name });
    const causes = async (email = ADA) => {
      const { body } = await as().get(`/suppressions/${email}/history`).expect(200);
      return body.data.map(({ action, cause }: Record<string, string>) => `${action} ${cause}`);
    };
    const reportManual = async (createdAt: string, email = ADA) => {
      const data = { id: randomUUID(), email, origin: 'manual', source_id: null, created_at: createdAt };
      const event = { type: 'suppression.added', created_at: createdAt, data };
      expect((await postResend(world, source, event)).status).toBe(200);
    };
    await suppress(world, world.alice, ['eve@example.com']);
    await report('bounce', ADA);
    await settled(list);
    const pushed = resend.suppressions.find(({ email }) => email === 'eve@example.com')!;
    await reportManual(pushed.created_at, pushed.email);
    const { body: own } = await as().get('/events').query({ kind: 'manual' }).expect(200);
    expect(own.data).toMatchObject([{ outcome: 'nothing', reason: expect.stringContaining('this service') }]);
    const { created_at } = resend.suppressions.find(({ email }) => email === ADA)!;
    await reportManual(created_at);
    expect(await causes()).toEqual(['added bounce']);
    const { data } = (await as().get('/events').query({ kind: 'manual' }).expect(200)).body;
    expect(data[0]).toMatchObject({ outcome: 'nothing', reason: expect.stringContaining('this service') });
    await reportManual(new Date(Date.parse(created_at) - 3_600_000).toISOString());
    expect(await causes()).toEqual(['strengthened manual', 'added bounce']);
    await as().delete(`/provider-lists/${list}`).expect(200);
  });
});
