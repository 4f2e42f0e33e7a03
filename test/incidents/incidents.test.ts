import {
  addresses,
  ageIncidents,
  GMAIL_ANSWER,
  sweepIncidents,
  WatchedMail,
} from '../support/incidents/incidents.js';
import { applyLift, countLift, revertLift } from '../support/lifts.js';
import { HoldingService } from '../../src/incidents/holding.service.js';
import { ExpirySweep } from '../../src/suppressions/expiry-sweep.js';
import { LOOPBACK, TestWebhook } from '../support/webhooks.js';
import { startTestApp } from '../support/test-app.js';
import { createWorld, withNewAccounts, type World } from '../support/world.js';

const DIAGNOSTIC =
  "The email account that you tried to reach does not exist. Please try … double-checking the recipient's email address for typos - gsmtp";
const WORKSPACE = addresses(60).map((email, index) =>
  email.replace('gmail.com', `company${index % 20}.example`),
);
const PEOPLE = addresses(60);

describe('an incident', () => {
  let shared: World;
  let world: World;
  let mail: WatchedMail;
  beforeAll(async () => (shared = await createWorld(LOOPBACK)));
  beforeEach(async () => {
    world = await withNewAccounts(shared);
    mail = await WatchedMail.create(world, world.acme.name);
  });
  afterAll(() => shared.close());

  const set = (settings: object) => world.as(world.alice).patch('/account').send(settings).expect(200);
  const list = async (apiKey = world.alice): Promise<Record<string, unknown>[]> =>
    (await world.as(apiKey).get('/incidents').expect(200)).body.data;
  const check = async (email: string) =>
    (
      await world
        .as(world.alice)
        .post('/suppressions/check')
        .query({ explain: true })
        .send({ emails: [email] })
        .expect(200)
    ).body.data[0];
  const isSuppressed = async (email: string) => (await check(email)).verdict === 'suppressed';
  const decide = (id: unknown, decision: string, apiKey = world.alice) =>
    world
      .as(apiKey)
      .post(`/incidents/${id as string}/decide`)
      .send({ decision });
  const history = async (email: string): Promise<Record<string, never>[]> =>
    (await world.as(world.alice).get(`/suppressions/${email}/history`).expect(200)).body.data;
  /** What happens on a bad day: people who received mail yesterday bounce with one answer. */
  const outage = async (emails = PEOPLE, answer = GMAIL_ANSWER) => {
    await mail.delivered(emails, 24 * 60);
    await mail.bounced(emails, answer);
    await mail.pass();
  };

  it('opens when one answer bounces many addresses that received mail shortly before', async () => {
    await outage(WORKSPACE);
    expect(await list()).toEqual([
      {
        object: 'incident',
        id: expect.any(String),
        status: 'open',
        group: null,
        diagnostic: DIAGNOSTIC,
        addresses: 60,
        held: 0,
        delivered_before: 60,
        opened_at: expect.any(String),
        closed_at: null,
        decision: null,
      },
    ]);
    expect(await list(world.charlie)).toEqual([]);
  });

  it('opens however many other addresses the provider did not mail', async () => {
    await mail.listed(addresses(550, 'gmail.com', 'listed'));
    await outage();
    expect(await list()).toMatchObject([{ addresses: 60 }]);
  });

  it('has all addresses of its window when it opens, if they bounced before and after five minutes had ended', async () => {
    await mail.delivered(PEOPLE, 24 * 60);
    await mail.bounced(PEOPLE.slice(0, 5), GMAIL_ANSWER, 5);
    await mail.bounced(PEOPLE.slice(5), GMAIL_ANSWER);
    await mail.pass();
    expect(await list()).toMatchObject([{ addresses: 60 }]);
  });

  it('opens for a group of domains if their answers differ', async () => {
    const emails = [...addresses(30, 'yahoo.com'), ...addresses(30, 'aol.co.uk')];
    await mail.delivered(emails, 24 * 60);
    for (const [index, word] of ['Ada', 'Eve', 'Bob', 'Kim'].entries()) {
      await mail.bounced(emails.slice(index * 15, index * 15 + 15), `550 5.1.1 No such user, says ${word}`);
    }
    await mail.pass();
    expect(await list()).toMatchObject([{ group: 'yahoo.com', diagnostic: null, addresses: 60 }]);
  });

  it('does not open for a few addresses, a small share, or addresses that have long received nothing', async () => {
    await mail.delivered(addresses(49), 24 * 60);
    await mail.bounced(addresses(49));
    const others = addresses(60, 'other.example');
    await mail.delivered(others, 24 * 60);
    await mail.delivered(addresses(550, 'other.example', 'reader'));
    await mail.bounced(others, '550 5.1.1 no mailbox');
    const old = addresses(60, 'old.example');
    await mail.delivered(old, 40 * 24 * 60);
    await mail.bounced(old, '550 5.1.1 closed mailbox');
    await mail.pass();
    expect(await list()).toEqual([]);
  });

  it('does not open for events that are reported a day late, and for repeated bounces of an address', async () => {
    await mail.delivered(PEOPLE, 30 * 60);
    await mail.bounced(PEOPLE, GMAIL_ANSWER, 25 * 60);
    for (let repetition = 0; repetition < 6; repetition++) {
      await mail.bounced(addresses(10, 'icloud.com'));
    }
    await mail.pass();
    expect(await list()).toEqual([]);
  });

  it('does not open for a share that is usual, which it knows from the days before', async () => {
    await outage();
    await ageIncidents(world, 2 * 24 * 60);
    await world.database.query(
      `UPDATE incident_watches SET day = (now() AT TIME ZONE 'UTC')::date - 2 WHERE account_id = $1`,
      [world.acme.id],
    );
    await sweepIncidents(world);
    const shares = () =>
      world.database.query('SELECT key, share FROM incident_shares WHERE account_id = $1 ORDER BY key', [
        world.acme.id,
      ]);
    await mail.bounced(addresses(1, 'gmail.com', 'next'));
    await mail.pass();
    expect(await shares()).toEqual([
      { key: expect.stringMatching(/^[0-9a-f-]{36}$/), share: 1 },
      { key: 'gmail.com', share: 1 },
    ]);
    await world.database.query(
      `INSERT INTO incident_shares (account_id, key, day, share)
      SELECT account_id, key, day - number, 0.25 FROM incident_shares, generate_series(1, 15) AS number
      WHERE account_id = $1`,
      [world.acme.id],
    );
    await world.database.query('DELETE FROM incidents WHERE account_id = $1', [world.acme.id]);
    await outage(addresses(60, 'gmail.com', 'usual'));
    expect(await list()).toEqual([]);
    await outage(addresses(60, 'icloud.com'), '550 5.1.1 user lookup success but no user record found');
    expect(await list()).toHaveLength(1);
  });

  it('opens with thresholds of the account, and not at all if it is off', async () => {
    await set({ incident_min_addresses: 61 });
    await outage();
    expect(await list()).toEqual([]);
    await set({ incident_guard: 'off' });
    await outage(addresses(61, 'gmail.com', 'other'));
    expect(await list()).toEqual([]);
    await set({ incident_guard: 'alert', incident_min_share: 0.5 });
    await sweepIncidents(world);
    expect(await list()).toMatchObject([{ addresses: 121 }]);
  });

  it.each([
    ['incident_guard', 'on'],
    ['incident_min_addresses', 9],
    ['incident_min_addresses', '50'],
    ['incident_min_addresses', 50.5],
    ['incident_min_share', 0],
    ['incident_min_share', 1.1],
  ])('refuses the setting %s %j', async (path, value) => {
    const { body } = await world
      .as(world.alice)
      .patch('/account')
      .send({ [path]: value })
      .expect(400);
    expect(body.errors).toMatchObject([{ path }]);
  });

  it('opens with nothing held if hardly any deliveries are known', async () => {
    await set({ incident_guard: 'hold' });
    await mail.delivered(PEOPLE.slice(0, 5), 40 * 24 * 60);
    await mail.bounced(PEOPLE, GMAIL_ANSWER, 5);
    await mail.delivered(PEOPLE);
    await mail.pass();
    expect(await list()).toMatchObject([{ status: 'open', held: 0, delivered_before: 0 }]);
    expect((await check(PEOPLE[0]!)).decided_by).not.toHaveProperty('held_until');
    const [{ id }] = (await list()) as [{ id: string }];
    expect((await decide(id, 'lift').expect(409)).body).toMatchObject({ code: 'nothing_held' });
    expect(await list()).toMatchObject([{ status: 'open', decision: null }]);
    await decide(id, 'keep').expect(200);
  });

  it('counts each event once, in several passes and instances', async () => {
    await set({ incident_guard: 'hold' });
    const other = await startTestApp(shared.database.url);
    await mail.delivered(PEOPLE, 24 * 60);
    await mail.bounced(PEOPLE);
    await mail.age();
    await Promise.all([world, other, world, other].map(sweepIncidents));
    await other.close();
    await mail.bounced([...PEOPLE.slice(0, 5), ...addresses(7, 'gmail.com', 'late')]);
    await mail.pass();
    await mail.pass();
    expect(await list()).toMatchObject([{ addresses: 67, held: 67 }]);
  });

  it('opens although a day cannot be summed up, which is done later', async () => {
    await outage();
    // A day is summed up an hour after its end, so yesterday may not be.
    await ageIncidents(world, 48 * 60);
    const { id } = world.acme;
    await world.database.query('UPDATE incident_watches SET day = day - 2 WHERE account_id = $1', [id]);
    await world.database.query('ALTER TABLE incident_shares ADD CONSTRAINT broken CHECK (false) NOT VALID');
    await outage(addresses(60, 'gmail.com', 'next'));
    await world.database.query('ALTER TABLE incident_shares DROP CONSTRAINT broken');
    expect(await list()).toMatchObject([{ addresses: 120 }]);
    const shares = () => world.database.query('SELECT FROM incident_shares WHERE account_id = $1', [id]);
    expect(await shares()).toHaveLength(0);
    await sweepIncidents(world);
    expect(await shares()).not.toHaveLength(0);
  });

  describe('of an account that holds', () => {
    beforeEach(() => set({ incident_guard: 'hold' }));

    it('suppresses its addresses for a day, and says so', async () => {
      await mail.delivered(addresses(20, 'gmail.com', 'early'), 24 * 60);
      await mail.bounced(addresses(20, 'gmail.com', 'early'), GMAIL_ANSWER, 40);
      await outage();
      expect(await list()).toMatchObject([{ held: 80 }]);
      const { verdict, decided_by } = await check(PEOPLE[0]!);
      expect([verdict, decided_by.cause]).toEqual(['suppressed', 'bounce']);
      const hours = (Date.parse(decided_by.held_until) - Date.now()) / 3_600_000;
      expect(Math.round(hours)).toBe(24);
      expect((await check('early3@gmail.com')).decided_by).toHaveProperty('held_until');
      expect((await history(PEOPLE[0]!))[0]).toMatchObject({
        action: 'cause_added',
        cause: 'bounce',
        expires_at: decided_by.held_until,
        actor: { type: 'system', name: 'incident' },
        evidence: { incident: (await list())[0]!.id },
      });
      const { body } = await world
        .as(world.alice)
        .get(`/suppressions/${PEOPLE[0]}`)
        .query({ include: 'causes' })
        .expect(200);
      expect(body.causes).toMatchObject([{ cause: 'bounce', note: GMAIL_ANSWER }]);
      const { body: changes } = await world.as(world.alice).get('/changes').query({ limit: 500 }).expect(200);
      expect(changes.data.at(-1)).toMatchObject({
        type: 'suppression.changed',
        expires_at: decided_by.held_until,
      });
      const webhook = await TestWebhook.create(world, world.alice, ['incident.closed']);
      await ageIncidents(world, 65);
      await sweepIncidents(world);
      await webhook.receives(1);
      expect(webhook.endpoint.received[0]!.payload).toMatchObject({
        type: 'incident.closed',
        data: { status: 'closed', held: 80 },
      });
      await webhook.endpoint.close();
    });

    it('lifts them by themselves, but not those that failed again after it closed', async () => {
      await outage();
      await mail.bounced([PEOPLE[0]!], '550 5.1.1 User unknown');
      await mail.pass();
      await ageIncidents(world, 65);
      await sweepIncidents(world);
      expect(await list()).toMatchObject([{ status: 'closed', closed_at: expect.any(String) }]);
      await mail.bounced(['person3@gmail.com'], '550 5.1.1 User unknown');
      await world.database.query(`UPDATE incidents SET closed_at = closed_at - interval '10 minutes'`);
      await mail.pass();
      expect((await check('person3@gmail.com')).decided_by).not.toHaveProperty('held_until');
      await world.database.query(`
        WITH held AS (UPDATE held_bounces SET held_until = now() - interval '1 second')
        UPDATE suppressions SET expires_at = now() - interval '1 second' WHERE expires_at IS NOT NULL`);
      expect([await isSuppressed(PEOPLE[0]!), await isSuppressed('person3@gmail.com')]).toEqual([
        false,
        true,
      ]);
      await world.app.get(ExpirySweep).run();
      expect((await history(PEOPLE[0]!)).map(({ action }) => action)).toEqual([
        'expired',
        'cause_added',
        'added',
      ]);
    });

    it('lifts them when a person decides so, and the list says by whom', async () => {
      await set({ bounce_expiry: ['7d', '30d'] });
      await outage();
      const [{ id }] = (await list()) as [{ id: string }];
      expect((await decide(id, 'lift').expect(200)).body).toMatchObject({
        status: 'decided',
        decision: 'lift',
      });
      await sweepIncidents(world);
      await sweepIncidents(world);
      expect(await Promise.all(PEOPLE.slice(0, 5).map(isSuppressed))).toEqual(Array(5).fill(false));
      expect((await history(PEOPLE[0]!))[0]).toMatchObject({
        action: 'removed',
        actor: { type: 'api_key', name: 'alice' },
        evidence: { incident: id },
      });
      expect((await decide(id, 'keep').expect(409)).body).toMatchObject({ code: 'incident_decided' });
      const audit = await world.as(world.alice).get('/audit-log').expect(200);
      expect(audit.body.data[0]).toMatchObject({ action: 'incident.decided', subject: { id } });
      await world.as(world.alice).post('/events').send({ type: 'bounce', email: PEOPLE[0] }).expect(200);
      const days = (Date.parse((await history(PEOPLE[0]!))[0]!.expires_at!) - Date.now()) / 86_400_000;
      expect(Math.round(days)).toBe(30);
    });

    it('keeps them when a person decides so, with the expiry that they would have had', async () => {
      await set({ bounce_expiry: ['7d', null] });
      await outage();
      const [{ id }] = (await list()) as [{ id: string }];
      await decide(id, 'keep').expect(200);
      await sweepIncidents(world);
      await sweepIncidents(world);
      const { decided_by } = await check(PEOPLE[0]!);
      expect(decided_by).not.toHaveProperty('held_until');
      const days = (Date.parse((await history(PEOPLE[0]!))[0]!.expires_at!) - Date.now()) / 86_400_000;
      expect(Math.round(days)).toBe(7);
      await mail.bounced(addresses(20, 'gmail.com', 'late'));
      await mail.pass();
      expect((await check('late1@gmail.com')).decided_by).not.toHaveProperty('held_until');
      expect(await list()).toHaveLength(1);
    });

    it('holds none that expires earlier by itself', async () => {
      await set({ bounce_expiry: ['1d'] });
      await outage();
      expect(await list()).toMatchObject([{ status: 'open', held: 0 }]);
      expect(await history(PEOPLE[0]!)).toMatchObject([{ action: 'added' }]);
    });

    it('leaves them to lifts by query while they are held, and when they were kept', async () => {
      const query = { cause: 'bounce', created_after: '2020-01-01' };
      await set({ bounce_expiry: ['7d', null] });
      await outage();
      expect(await countLift(world, world.alice, query)).toMatchObject({ count: 60 });
      const [{ id }] = (await list()) as [{ id: string }];
      await decide(id, 'keep').expect(200);
      await sweepIncidents(world);
      await sweepIncidents(world);
      expect(await countLift(world, world.alice, query)).toMatchObject({ count: 60 });
      await mail.bounced(PEOPLE.slice(0, 5));
      expect(await countLift(world, world.alice, query)).toMatchObject({ count: 60 });
    });

    it('holds them again after a lift by query was reverted', async () => {
      await outage();
      const { decided_by } = await check(PEOPLE[0]!);
      expect(decided_by).toHaveProperty('held_until');
      const { id: lift, count } = await countLift(world, world.alice, {
        cause: 'bounce',
        created_after: '2020-01-01',
      });
      await applyLift(world, world.alice, lift, { confirm: count });
      await revertLift(world, world.alice, lift);
      expect((await check(PEOPLE[0]!)).decided_by).toEqual(decided_by);
      const [{ id }] = (await list()) as [{ id: string }];
      await decide(id, 'lift').expect(200);
      await sweepIncidents(world);
      await sweepIncidents(world);
      expect((await check(PEOPLE[0]!)).verdict).toBe('send');
    });

    it('never touches complaints, unsubscribes, and manual entries', async () => {
      const [ada, eve, kim] = PEOPLE as [string, string, string];
      await world.as(world.alice).post('/events').send({ type: 'complaint', email: ada }).expect(200);
      await world.as(world.alice).post('/suppressions').send({ email: eve }).expect(201);
      await outage();
      expect((await check(ada)).decided_by).not.toHaveProperty('held_until');
      const expires_at = new Date(Date.now() + 7 * 86_400_000).toISOString();
      await world.as(world.alice).post('/suppressions').send({ email: kim, expires_at }).expect(200);
      const ofKim = ['manual', 'bounce'].map((cause) => ({
        type: 'suppression',
        id: expect.any(String),
        cause,
      }));
      expect((await check(kim)).matches).toEqual(ofKim);
      const [{ id }] = (await list()) as [{ id: string }];
      await decide(id, 'lift').expect(200);
      await sweepIncidents(world);
      await sweepIncidents(world);
      expect((await check(ada)).decided_by).toMatchObject({ cause: 'complaint' });
      expect((await check(eve)).decided_by).toMatchObject({ cause: 'manual' });
      expect((await check(kim)).matches).toEqual(ofKim);
      const { body } = await world
        .as(world.alice)
        .get(`/suppressions/${eve}`)
        .query({ include: 'causes' })
        .expect(200);
      expect(body.causes[0]).toMatchObject({ cause: 'manual', expires_at: null });
    });

    it('opens again at ten addresses for three days', async () => {
      await outage();
      await ageIncidents(world, 55);
      await sweepIncidents(world);
      expect(await list()).toMatchObject([{ status: 'open' }]);
      await ageIncidents(world, 10);
      await sweepIncidents(world);
      await ageIncidents(world, 19 * 60);
      await outage(addresses(9, 'gmail.com', 'again'));
      expect(await list()).toHaveLength(1);
      await outage(addresses(1, 'gmail.com', 'tenth'));
      expect(await list()).toMatchObject([{ status: 'open', addresses: 10, held: 10 }, { status: 'closed' }]);
      await ageIncidents(world, 65);
      await sweepIncidents(world);
      await ageIncidents(world, 73 * 60);
      await outage(addresses(10, 'gmail.com', 'later'));
      expect(await list()).toMatchObject([{ status: 'closed' }, { status: 'closed' }]);
    });
  });

  it('forgets the holds that are over, 10,000 at a time', async () => {
    const { id } = world.acme;
    await world.database.query(
      `INSERT INTO held_bounces (account_id, suppression_id, incident_id, held_until)
      SELECT $1, uuid_v7(), uuid_v7(), now() + CASE number WHEN 1 THEN 1 ELSE -1 END * interval '1 hour'
      FROM generate_series(1, 10002) AS number`,
      [id],
    );
    const left = async () =>
      (await world.database.query('SELECT FROM held_bounces WHERE account_id = $1', [id])).length;
    await world.app.get(HoldingService).close(id);
    expect(await left()).toBe(2);
    await world.app.get(HoldingService).close(id);
    expect(await left()).toBe(1);
  });

  it('may be decided only with the scope for lifts, and only by its own account', async () => {
    await outage();
    const [{ id }] = (await list()) as [{ id: string }];
    await decide(id, 'lift', world.bob).expect(401);
    await decide(id, 'lift', world.charlie).expect(404);
    await decide(id, 'both').expect(400);
    await world.as(world.bob).get(`/incidents/${id}`).expect(200);
    await world.as(world.charlie).get(`/incidents/${id}`).expect(404);
    expect(await list()).toMatchObject([{ status: 'open', decision: null }]);
  });
});
