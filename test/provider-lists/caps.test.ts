import { OutboxRepository } from '../../src/provider-lists/push/outbox.repository.js';
import { PushWorker } from '../../src/provider-lists/push/push-worker.js';
import { startFakeSendGrid, type FakeSendGrid } from '../support/fake-providers/sendgrid.js';
import { apply, compare, createSendGridList, untilPushed } from '../support/provider-lists.js';
import { until } from '../support/until.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, withNewAccounts, type World } from '../support/world.js';

const ADA = 'ada@example.com';
const BEFORE = Date.parse('2026-01-10T08:00:00Z') / 1_000;
const CONSENT = { kind: 'recipient_request', reference: 'Support case 4711' };

describe('the caps of removals at a provider', () => {
  let service: World;
  let world: World;
  let sendgrid: FakeSendGrid;
  let list: string;
  beforeAll(async () => {
    sendgrid = await startFakeSendGrid();
    service = await createWorld({ ...LOOPBACK, PROVIDER_API_URL_SENDGRID: sendgrid.url });
  });
  beforeEach(async () => {
    world = await withNewAccounts(service);
    sendgrid.clear();
    sendgrid.requests.length = 0;
    list = await createSendGridList(world, world.alice, { push_additions: false });
  });
  afterAll(async () => {
    await service.close();
    await sendgrid.close();
  });

  const as = () => world.as(world.alice);
  const numbered = (count: number, name: string) =>
    Array.from({ length: count }, (_, index) => `${name}${String(index).padStart(3, '0')}@example.com`);
  const bounce = (emails: string[]) =>
    as()
      .post('/events')
      .send(emails.map((email) => ({ type: 'bounce', email })))
      .expect(200);
  const lift = (emails: string[]) => as().post('/suppressions/batch/remove').send({ emails }).expect(200);
  const listed = (emails: string[]) => emails.map((email) => ({ email, created: BEFORE }));
  const pushes = async () =>
    (await as().get(`/provider-lists/${list}/pushes?limit=100`).expect(200)).body.data;
  const paused = (until_: string | null) =>
    world.database.query('UPDATE provider_lists SET push_paused_until = $2 WHERE id = $1', [list, until_]);
  const path = () => `/provider-lists/${list}`;
  const confirm = (emails: string[]) => as().post(`${path()}/removals`).send({ emails, consent: CONSENT });
  const dayLater = () =>
    world.database.query(
      `UPDATE provider_list_pushes
      SET next_attempt_at = next_attempt_at - interval '1 day', attempted_at = attempted_at - interval '1 day',
        created_at = created_at - interval '1 day'
      WHERE provider_list_id = $1`,
      [list],
    );
  /** Works until nothing is due, and nothing new has happened. */
  const worked = () =>
    untilPushed(
      world,
      list,
      `pushing_plan_id IS NOT NULL
      OR EXISTS (
        SELECT FROM provider_list_pushes
        WHERE provider_list_id = list.id AND status = 'pending' AND next_attempt_at <= now()
      )`,
    );
  /** The provider lists the addresses, and the list here has them from it. */
  const pullListed = async (lists: Record<string, string[]>) => {
    Object.entries(lists).forEach(([name, emails]) => (sendgrid.lists[name] = listed(emails)));
    const { id } = await compare(world, world.alice, list);
    await apply(world, world.alice, list, id);
  };

  it('are not used up by looking up what the provider never had', async () => {
    const elsewhere = numbered(60, 'elsewhere');
    await bounce([...elsewhere, ADA]);
    await worked();
    await lift(elsewhere);
    await worked();
    expect(await pushes()).toEqual([]);
    sendgrid.lists.bounces = listed([ADA]);
    await lift([ADA]);
    await worked();
    expect(sendgrid.accepts(ADA)).toBe(true);
  });

  it('let 50 entries be removed in a day; the others wait for the next one, or for a plan', async () => {
    await pullListed({ bounces: numbered(60, 'b') });
    await lift(numbered(60, 'b'));
    await worked();
    expect(sendgrid.lists.bounces).toHaveLength(10);
    const waiting = await pushes();
    expect(waiting).toHaveLength(10);
    expect(waiting[0]).toMatchObject({
      status: 'pending',
      attempts: 0,
      error: expect.stringContaining('without a plan'),
    });
    expect(Date.parse(waiting[0].next_attempt_at)).toBeGreaterThan(Date.now() + 23 * 60 * 60 * 1000);
    const lookups = sendgrid.requests.length;
    const { body } = await as().post(`${path()}/pushes/retry`).expect(200);
    expect(body.retried).toBe(0);
    await worked();
    expect(sendgrid.requests).toHaveLength(lookups);
    await dayLater();
    await worked();
    expect(sendgrid.lists.bounces).toEqual([]);
    expect(await pushes()).toEqual([]);
  });

  it('do not hold up additions', async () => {
    await pullListed({ bounces: numbered(350, 'b') });
    await lift(numbered(100, 'b'));
    await worked();
    await as().patch(path()).send({ push_additions: true }).expect(200);
    await paused('2100-01-01');
    for (let index = 100; index < 350; index += 50) {
      await lift(numbered(350, 'b').slice(index, index + 50));
    }
    await bounce([ADA]);
    const take = jest.spyOn(world.app.get(OutboxRepository), 'take');
    try {
      await paused(null);
      await until(async () => {
        await world.app.get(PushWorker).run();
        return !sendgrid.accepts(ADA);
      });
      expect(take.mock.calls.length).toBeLessThan(50);
    } finally {
      take.mockRestore();
    }
    await worked();
    const { body } = await as().get(path()).expect(200);
    expect(body.pushes).toMatchObject({ pending: 300, failed: 0 });
    const waiting = { attempts: 0, error: expect.stringContaining('without a plan') };
    expect(await pushes()).toEqual(Array(100).fill(expect.objectContaining(waiting)));
  });

  it('wait no longer than until one of those that were sent is a day old', async () => {
    await pullListed({ bounces: [...numbered(50, 'b'), ADA] });
    await lift(numbered(50, 'b'));
    await worked();
    await world.database.query(
      `UPDATE provider_list_pushes SET attempted_at = attempted_at - interval '23 hours'
      WHERE provider_list_id = $1 AND email = $2`,
      [list, numbered(50, 'b')[0]],
    );
    await lift([ADA]);
    await worked();
    const [waiting] = await pushes();
    expect(waiting).toMatchObject({ email: ADA, status: 'pending' });
    expect(Date.parse(waiting.next_attempt_at)).toBeLessThan(Date.now() + 61 * 60 * 1000);
  });

  it('do not hold up the removals of a plan', async () => {
    await pullListed({ bounces: numbered(60, 'b') });
    await lift(numbered(60, 'b'));
    await worked();
    const plan = await compare(world, world.alice, list);
    expect(plan.counts).toMatchObject({ remove: 10 });
    expect(await apply(world, world.alice, list, plan.id)).toMatchObject({ status: 'applied', applied: 10 });
    expect(sendgrid.lists.bounces).toEqual([]);
  });

  it('do not leave one of two entries of an address, with a plan and without', async () => {
    const emails = numbered(52, 'b');
    await pullListed({ bounces: emails, invalid_emails: [emails[49]!] });
    await as().patch(path()).send({ push_removals: false }).expect(200);
    await lift(emails);
    await as().patch(path()).send({ push_removals: true }).expect(200);
    const plan = await compare(world, world.alice, list);
    expect(plan).toMatchObject({ counts: { remove: 53 }, capped: 3 });
    expect(await apply(world, world.alice, list, plan.id)).toMatchObject({ applied: 51, capped: 2 });
    expect(sendgrid.lists.bounces!.map(({ email }) => email)).toEqual(emails.slice(50));
    expect(sendgrid.lists.invalid_emails).toEqual([]);

    const others = numbered(50, 'c');
    await pullListed({ bounces: others, invalid_emails: others.slice(0, 1) });
    await world.database.query(
      `UPDATE provider_list_pushes SET next_attempt_at = now() + interval '1 hour' WHERE provider_list_id = $1`,
      [list],
    );
    await lift(others);
    await worked();
    const left = [...sendgrid.lists.bounces!, ...sendgrid.lists.invalid_emails!].map(({ email }) => email);
    expect(left).toHaveLength(1);
    expect(left[0]).not.toBe(others[0]);
  });

  it('let people confirm 200 addresses in a day, however often', async () => {
    await confirm(numbered(100, 'a')).expect(202);
    await confirm(numbered(100, 'b')).expect(202);
    await confirm(numbered(100, 'b')).expect(202);
    const { body } = await confirm([ADA, 'b000@example.com']).expect(409);
    expect(body).toMatchObject({ code: 'too_many_provider_list_removals' });
    const [, from] = /from (\S+) on/.exec(body.message)!;
    expect(Date.parse(from!)).toBeGreaterThan(Date.now() + 23 * 60 * 60 * 1000);
    const rows = await world.database.query(
      'SELECT FROM provider_list_pushes WHERE provider_list_id = $1 AND email = $2',
      [list, ADA],
    );
    expect(rows).toEqual([]);
    await dayLater();
    await confirm([ADA]).expect(202);
  });
});
