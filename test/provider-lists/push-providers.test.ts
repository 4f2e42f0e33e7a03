import { PushWorker } from '../../src/provider-lists/push/push-worker.js';
import { failOnce } from '../support/fake-providers/fake-provider.js';
import { startFakeMailgun, type FakeMailgun } from '../support/fake-providers/mailgun.js';
import { startFakePostmark, type FakePostmark } from '../support/fake-providers/postmark.js';
import { startFakeResend, type FakeResend } from '../support/fake-providers/resend.js';
import { startFakeSes, type FakeSes } from '../support/fake-providers/ses.js';
import {
  apply,
  compare,
  createComparedList,
  createComparedSesList,
  linesOf,
  untilPushed,
} from '../support/provider-lists.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, withNewAccounts, type World } from '../support/world.js';

const ADA = 'ada@example.com';
const DOMAIN = 'mg.example.com';
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
    ses.list(ADA, 'COMPLAINT', new Date().toISOString());
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

  it('Postmark fails for one address and works for the others; its complaints stay', async () => {
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
    postmark.suppressions.push({
      EmailAddress: 'eve@example.com',
      SuppressionReason: 'SpamComplaint',
      Origin: 'Recipient',
      CreatedAt: '2026-01-10T08:00:00Z',
    });
    const plan = await compare(world, world.alice, list);
    expect(plan.counts).toMatchObject({ pull: 1, agreed: 2, cannot: 1, push: 0 });
    await apply(world, world.alice, list, plan.id);
    await lift(ADA);
    await lift('eve@example.com');
    await settled(list);
    const sent = { emails: ['eve@example.com'], consent: CONSENT };
    const removal = await as().post(`/provider-lists/${list}/removals`).send(sent).expect(202);
    expect(removal.body.data).toMatchObject([{ status: 'cannot', lists: [] }]);
    expect(listed()).toEqual(['grace@example.com', 'eve@example.com']);
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
  });
});
