import type { FakeSes } from '../support/fake-providers/ses.js';
import { startFakeSes } from '../support/fake-providers/ses.js';
import { apply, compare, createSesList, linesOf } from '../support/provider-lists.js';
import { LOOPBACK } from '../support/webhooks.js';
import { createWorld, suppress, withNewAccounts, type World } from '../support/world.js';

describe('a plan of a provider list', () => {
  let service: World;
  let world: World;
  let ses: FakeSes;
  let list: string;
  beforeAll(async () => {
    ses = await startFakeSes();
    service = await createWorld({ ...LOOPBACK, PROVIDER_API_URL_SES: ses.url });
  });
  beforeEach(async () => {
    world = await withNewAccounts(service);
    ses.entries.clear();
    ses.pageSize = 1_000;
    list = await createSesList(world, world.alice);
  });
  afterAll(async () => {
    await service.close();
    await ses.close();
  });

  const report = (event: object) => world.as(world.alice).post('/events').send(event).expect(200);
  const lift = (email: string) => world.as(world.alice).delete(`/suppressions/${email}`).expect(200);
  const plan = async () => {
    const made = await compare(world, world.alice, list);
    return { ...made, lines: await linesOf(world, world.alice, list, made.id) };
  };

  it('pulls what only the provider has, in all its pages, once for each spelling', async () => {
    ses.pageSize = 2;
    for (const name of ['ada', 'Bob', 'carol', 'dave', 'erin']) {
      ses.list(`${name}@example.com`, 'BOUNCE', '2026-01-10T08:00:00Z');
    }
    ses.list('bob@example.com', 'COMPLAINT');
    const made = await plan();
    expect(made).toMatchObject({ status: 'ready', entries: 6, counts: { pull: 6, push: 0, agreed: 0 } });
    expect(made.lines.map(({ email }) => email)).toEqual([
      'ada@example.com',
      'Bob@example.com',
      'bob@example.com',
      'carol@example.com',
      'dave@example.com',
      'erin@example.com',
    ]);
    expect(made.lines[0]).toEqual({
      email: 'ada@example.com',
      kind: 'pull',
      list: 'suppressions',
      cause: 'bounce',
      listed_at: '2026-01-10T08:00:00.250Z',
      reason: null,
    });
    expect((await world.as(world.alice).get('/suppressions').expect(200)).body.data).toEqual([]);
  });

  it('agrees about what both have, and says which cause it would add', async () => {
    await report({ type: 'bounce', email: 'same@example.com' });
    await suppress(world, world.alice, ['weaker@example.com']);
    ses.list('same@example.com');
    ses.list('weaker@example.com', 'COMPLAINT');
    const { counts, lines } = await plan();
    expect(counts).toMatchObject({ agreed: 2, pull: 0, push: 0 });
    expect(lines).toMatchObject([
      { email: 'same@example.com', kind: 'agreed', reason: null },
      { email: 'weaker@example.com', reason: 'Applying the plan adds this cause to the suppression.' },
    ]);
  });

  it('would push bounces, complaints, and manual entries, but neither unsubscribes nor what expires', async () => {
    await suppress(world, world.alice, ['manual@example.com']);
    await report({ type: 'bounce', email: 'bounce@example.com' });
    await report({ type: 'unsubscribe', email: 'unsubscribe@example.com' });
    await world
      .as(world.alice)
      .post('/suppressions')
      .send({ email: 'soon@example.com', expires_at: '2099-01-01T00:00:00Z' })
      .expect(201);
    const { lines } = await plan();
    expect(lines.toSorted((one, other) => (one.email < other.email ? -1 : 1))).toMatchObject([
      { email: 'bounce@example.com', kind: 'push', list: 'suppressions', cause: 'bounce' },
      { email: 'manual@example.com', kind: 'push', cause: 'manual' },
      { email: 'soon@example.com', kind: 'cannot', reason: expect.stringContaining('expires') },
      { email: 'unsubscribe@example.com', kind: 'cannot', reason: expect.stringContaining('transactional') },
    ]);
  });

  it('never pulls what was lifted here after the date of the provider', async () => {
    await report({ type: 'bounce', email: 'bounce@example.com' });
    await report({ type: 'complaint', email: 'complaint@example.com' });
    await lift('bounce@example.com');
    await lift('complaint@example.com');
    ses.list('bounce@example.com');
    ses.list('complaint@example.com', 'COMPLAINT');
    const made = await plan();
    expect(made.lines).toMatchObject([
      { email: 'complaint@example.com', kind: 'cannot', reason: expect.stringContaining('only a person') },
      { email: 'bounce@example.com', kind: 'remove' },
    ]);
    expect(await apply(world, world.alice, list, made.id)).toMatchObject({ status: 'applied', applied: 0 });
    await world.as(world.alice).get('/suppressions/bounce@example.com').expect(404);
    const tomorrow = new Date(Date.now() + 60_000).toISOString();
    ses.list('bounce@example.com', 'BOUNCE', tomorrow);
    expect((await plan()).counts).toMatchObject({ pull: 1, cannot: 1 });
  });

  it('calls an entry drift, plan after plan, when the provider no longer has it', async () => {
    ses.list('gone@example.com');
    for (let count = 0; count < 20; count++) {
      ses.list(`user${count}@example.com`);
    }
    await apply(world, world.alice, list, (await plan()).id);
    ses.entries.delete('gone@example.com');
    for (let round = 0; round < 2; round++) {
      const made = await plan();
      expect(made.counts).toMatchObject({ drift: 1, agreed: 20, push: 0 });
      expect(made.lines.find(({ kind }) => kind === 'drift')).toMatchObject({
        email: 'gone@example.com',
        reason: expect.stringContaining('does not have it now'),
      });
      await apply(world, world.alice, list, made.id);
      await world.as(world.alice).get('/suppressions/gone@example.com').expect(200);
    }
    await lift('gone@example.com');
    expect((await plan()).counts).toMatchObject({ drift: 0, agreed: 20, remove: 0 });
  });

  it('leaves it to a person when a suppression expired here that the provider still has', async () => {
    await report({ type: 'bounce', email: 'old@example.com' });
    await world.database.query(
      `UPDATE suppressions SET expires_at = now() - interval '1 second' WHERE account_id = $1`,
      [world.acme.id],
    );
    await world.database.query(
      `INSERT INTO suppression_changes (account_id, action, suppression_id, email, cause, actor_type, actor_name)
      SELECT account_id, 'expired', id, email, cause, 'system', 'expiry' FROM suppressions WHERE account_id = $1`,
      [world.acme.id],
    );
    ses.list('old@example.com');
    const made = await plan();
    expect(made.lines).toMatchObject([{ kind: 'drift', reason: expect.stringContaining('expired here') }]);
  });

  it('is the same again if it is not applied, and takes the place of the one before it', async () => {
    ses.list('ada@example.com');
    const [first, second] = [await plan(), await plan()];
    expect(second.lines).toEqual(first.lines);
    const path = `/provider-lists/${list}/plans/${first.id}`;
    expect((await world.as(world.alice).get(path)).body.status).toBe('expired');
    const { body } = await world.as(world.alice).post(`${path}/apply`).send({}).expect(409);
    expect(body.code).toBe('provider_list_plan_status');
  });

  it('stores an entry once that two pages have, because another one was added between them', async () => {
    ses.pageSize = 2;
    ['a@example.com', 'b@example.com', 'c@example.com'].forEach((email) => ses.list(email));
    ses.faults.push((_response, request) => {
      if (request.url!.includes('NextToken')) {
        const old = [...ses.entries];
        ses.entries.clear();
        ses.list('new@example.com');
        old.forEach(([email, entry]) => ses.entries.set(email, entry));
        ses.faults.shift();
      }
      return false;
    });
    expect(await plan()).toMatchObject({ status: 'ready', entries: 3, counts: { pull: 3 } });
  });

  it('filters its lines by kind, and refuses an invalid cursor', async () => {
    await suppress(world, world.alice, ['here@example.com']);
    ses.list('there@example.com');
    const { id } = await compare(world, world.alice, list);
    const lines = await linesOf(world, world.alice, list, id, { kind: 'push' });
    expect(lines).toMatchObject([{ email: 'here@example.com' }]);
    const path = `/provider-lists/${list}/plans/${id}/lines`;
    await world.as(world.alice).get(path).query({ after: 'x' }).expect(400);
    await world.as(world.alice).get(path).query({ kind: 'other' }).expect(400);
  });

  it('sends nothing but GET, for the host of the region', async () => {
    ses.requests.length = 0;
    ses.list('ada@example.com');
    const { id } = await plan();
    await apply(world, world.alice, list, id);
    expect(ses.requests.map(({ method }) => method)).toEqual(['GET']);
    expect(ses.requests[0]!.headers.host).toBe('email.eu-west-1.amazonaws.com');
  });
});
