import type { FakeProvider } from '../support/fake-providers/fake-provider.js';
import { cutOff, failOnce } from '../support/fake-providers/fake-provider.js';
import { startFakeMailgun, type FakeMailgun } from '../support/fake-providers/mailgun.js';
import { startFakePostmark, type FakePostmark } from '../support/fake-providers/postmark.js';
import { startFakeResend, type FakeResend } from '../support/fake-providers/resend.js';
import { startFakeSendGrid, type FakeSendGrid } from '../support/fake-providers/sendgrid.js';
import { apply, compare, createList, linesOf } from '../support/provider-lists.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, type World } from '../support/world.js';

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

  it('SendGrid has four lists, of which soft bounces are not pulled; a full page is not the last', async () => {
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
    );
    const list = await createList(world, world.alice, {
      provider: 'sendgrid',
      name: 'SendGrid',
      scope: { subuser: 'shop' },
      credentials: { api_key: 'SG.key' },
    });
    const plan = await compare(world, world.alice, list);
    expect(plan).toMatchObject({ status: 'ready', entries: 505, counts: { pull: 503, cannot: 2 } });
    const cannot = await linesOf(world, world.alice, list, plan.id, { kind: 'cannot' });
    expect(cannot).toMatchObject([
      { email: 'not an address', list: 'bounces', reason: 'This is not an email address.' },
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
