import { startFakeSendGrid, type FakeSendGrid } from '../support/fake-providers/sendgrid.js';
import { untilErased } from '../support/erasures.js';
import { compare, createSendGridList, linesOf } from '../support/provider-lists.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

const ADA = 'ada@example.com';
const GRACE = 'grace@example.com';
const CREATED = Date.parse('2026-01-10T08:00:00Z') / 1_000;

describe('lines and pushes of one address', () => {
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
    list = await createSendGridList(world, world.alice);
    await world.database.query(`UPDATE provider_lists SET push_paused_until = '2100-01-01' WHERE id = $1`, [
      list,
    ]);
  });
  afterAll(async () => {
    await service.close();
    await sendgrid.close();
  });

  const as = () => world.as(world.alice);
  const lines = (plan: string, query: Record<string, string>) =>
    linesOf(world, world.alice, list, plan, query);
  const insert = (email: string, name: string, status: string) =>
    world.database.query(
      `INSERT INTO provider_list_pushes (
        account_id, provider_list_id, email, list, address, action, status, cause, since
      )
      SELECT account_id, id, $2, $3, $2, 'remove', $4, 'bounce', now() FROM provider_lists WHERE id = $1`,
      [list, email, name, status],
    );
  const pushes = async (query: Record<string, string>) => {
    const { body } = await as().get(`/provider-lists/${list}/pushes`).query(query).expect(200);
    return body.data.map((push: { list: string; status: string }) => `${push.status} ${push.list}`);
  };

  it('are those of its normal form, in all spellings and of all kinds, page by page', async () => {
    await suppress(world, world.alice, [GRACE, 'other@example.com']);
    sendgrid.lists.bounces = ['Ada@example.com', 'ada@example.com', 'adam@example.com'].map((email) => ({
      email,
      created: CREATED,
    }));
    sendgrid.lists.spam_reports = [{ email: 'ADA@example.com', created: CREATED }];
    const { id } = await compare(world, world.alice, list);
    const found = await lines(id, { email: 'ADA@Example.com' });
    expect(found.map(({ email, list: name }) => `${name} ${email}`)).toEqual([
      'bounces Ada@example.com',
      'bounces ada@example.com',
      'spam_reports ADA@example.com',
    ]);
    expect(await lines(id, { email: ADA, kind: 'push' })).toEqual([]);
    expect(await lines(id, { email: GRACE, kind: 'push' })).toMatchObject([{ email: GRACE, kind: 'push' }]);
    expect(await lines(id, { email: 'new@example.com' })).toEqual([]);
  });

  it('has no pushes that are done, and those of one status only if they are asked for', async () => {
    await insert(ADA, 'bounces', 'pending');
    await insert(ADA, 'invalid_emails', 'failed');
    await insert(ADA, 'spam_reports', 'done');
    await insert(GRACE, 'bounces', 'failed');
    expect(await pushes({ email: 'Ada@Example.com' })).toEqual(['failed invalid_emails', 'pending bounces']);
    expect(await pushes({ email: ADA, status: 'pending' })).toEqual(['pending bounces']);
    const { body } = await as().get(`/provider-lists/${list}/pushes`).query({ email: ADA, limit: 1 });
    expect(body).toMatchObject({ has_more: true, data: [{ status: 'failed' }] });
    expect(await pushes({ email: ADA, limit: '1', after: body.cursor })).toEqual(['pending bounces']);
  });

  it('are of the status that is asked for, whatever the status at the cursor', async () => {
    await insert(ADA, 'bounces', 'failed');
    await insert(ADA, 'bounces2', 'pending');
    await insert(GRACE, 'bounces', 'failed');
    await insert(GRACE, 'bounces2', 'pending');
    const cursorOf = async (status: string) => {
      const { body } = await as().get(`/provider-lists/${list}/pushes`).query({ status, limit: 1 });
      return body.cursor;
    };
    expect(await pushes({ status: 'pending', after: await cursorOf('failed') })).toEqual([
      'pending bounces2',
      'pending bounces2',
    ]);
    expect(await pushes({ status: 'failed', after: await cursorOf('pending') })).toEqual(['failed bounces']);
  });

  it('are found by an address that was erased, whose block is kept', async () => {
    await suppress(world, world.alice, [ADA]);
    const erased = { keep_block: true, reference: 'Case 4711' };
    await untilErased(world, async () => as().post(`/contacts/${ADA}/erase`).send(erased));
    sendgrid.lists.bounces = [{ email: ADA, created: CREATED }];
    const { id } = await compare(world, world.alice, list);
    const [line, ...others] = await lines(id, { email: ADA });
    expect(line!.email).toMatch(/^erased-.*@erased\.invalid$/);
    expect(others).toEqual([]);
    await insert(line!.email, 'bounces', 'failed');
    expect(await pushes({ email: ADA })).toEqual(['failed bounces']);
  });

  it.each(['pushes', 'plans/00000000-0000-7000-8000-000000000001/lines'])(
    'need an address (%s)',
    async (path) => {
      const { body } = await as().get(`/provider-lists/${list}/${path}`).query({ email: 'ada' }).expect(400);
      expect(body).toMatchObject({ name: 'validation_error', message: expect.stringContaining('email') });
    },
  );
});
