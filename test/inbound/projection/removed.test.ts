import { randomUUID } from 'node:crypto';
import { findRecord, reportByResend, type Fact } from '../../support/facts.js';
import { createSource, postResend, readLedger, type TestSource } from '../../support/sources.js';
import { createWorld, suppress, type World } from '../../support/world.js';

const HOUR_MS = 3_600_000;

describe('a removal at the provider', () => {
  let world: World;
  let resend: TestSource;
  let other: TestSource;
  let email: string;
  beforeAll(async () => {
    world = await createWorld();
    resend = await createSource(world, 'resend', { name: 'resend-main' });
    other = await createSource(world, 'resend', { name: 'resend-other' });
  });
  beforeEach(() => (email = `${randomUUID()}@example.com`));
  afterAll(() => world.close());

  const report = (fact: Fact, { source = resend, at = new Date() } = {}) =>
    reportByResend(world, source, fact, email, at);
  const record = () => findRecord(world, email);
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS);

  it.each<Fact>(['bounce', 'manual'])('lifts a %s of the same source', async (fact) => {
    await report(fact);
    await report('removed');
    expect(await record()).toBeUndefined();
  });

  it('lifts a bounce that was also reported as the bounce of an email', async () => {
    const bounced = {
      type: 'email.bounced',
      created_at: new Date().toISOString(),
      data: {
        email_id: randomUUID(),
        to: [email],
        bounce: { type: 'Permanent', subType: 'General', diagnosticCode: ['550 5.1.1 no such user'] },
      },
    };
    expect((await postResend(world, resend, bounced)).status).toBe(200);
    await report('bounce');
    await report('removed');
    expect(await readLedger(world, email)).toEqual([
      'added bounce by resend-main',
      'removed bounce by resend-main',
    ]);
  });

  it('does not lift an unsubscribe, because Resend has none on its suppression list', async () => {
    await report('unsubscribe');
    await report('removed');
    expect(await record()).toMatchObject({ cause: 'unsubscribe' });
  });

  it('lifts nothing that another source reported as well', async () => {
    await report('bounce');
    await report('bounce', { source: other });
    await report('removed');
    expect(await record()).toMatchObject({ cause: 'bounce' });
  });

  it('lifts no complaint, and nothing that somebody else added or changed', async () => {
    await report('complaint');
    await report('removed');
    expect(await record()).toMatchObject({ cause: 'complaint' });
    email = `${randomUUID()}@example.com`;
    await report('bounce');
    await suppress(world, world.alice, [email]);
    await report('removed');
    expect(await record()).toMatchObject({ cause: 'manual' });
    email = `${randomUUID()}@example.com`;
    await report('bounce', { source: other });
    await report('removed');
    expect(await record()).toMatchObject({ cause: 'bounce' });
  });

  describe('that arrives before an older report', () => {
    it.each<Fact>(['bounce', 'manual', 'listed'])('supersedes a %s, and the inbox says why', async (fact) => {
      await report('removed', { at: hoursAgo(1) });
      await report(fact, { at: hoursAgo(3) });
      await report(fact, { at: hoursAgo(2) });
      expect(await readLedger(world, email)).toEqual([]);
      const stored = await world.database.query(
        `SELECT outcome, suppression_id, reason FROM delivery_events WHERE recipient = $1 AND kind <> 'removed'`,
        [email],
      );
      const superseded = {
        outcome: 'nothing',
        suppression_id: null,
        reason: 'The same source removed the address later, and reported the removal first.',
      };
      expect(stored).toEqual([superseded, superseded]);
    });

    it.each<Fact>(['unsubscribe', 'complaint'])('does not supersede an %s', async (fact) => {
      await report('removed', { at: hoursAgo(1) });
      await report(fact, { at: hoursAgo(2) });
      expect(await record()).toMatchObject({ cause: fact });
    });

    it('does not supersede a report of the same time, a later one, or one of another source', async () => {
      const time = hoursAgo(1);
      const recordAfter = async (options: Parameters<typeof report>[1]) => {
        email = `${randomUUID()}@example.com`;
        await report('removed', { at: time });
        await report('bounce', options);
        return record();
      };
      expect(await recordAfter({ at: time })).toMatchObject({ cause: 'bounce' });
      expect(await recordAfter({ at: hoursAgo(0.5) })).toMatchObject({ cause: 'bounce' });
      expect(await recordAfter({ at: hoursAgo(2), source: other })).toMatchObject({ cause: 'bounce' });
    });

    it('supersedes it although it lifted another record, but no report of another source', async () => {
      await report('bounce', { at: hoursAgo(3) });
      await report('removed', { at: hoursAgo(1) });
      await report('bounce', { at: hoursAgo(2) });
      expect(await record()).toBeUndefined();
      await report('bounce', { at: hoursAgo(2), source: other });
      expect(await record()).toMatchObject({ cause: 'bounce' });
    });

    it('supersedes nothing if it did not lift the record that it found', async () => {
      await report('bounce', { source: other, at: hoursAgo(3) });
      await report('removed', { at: hoursAgo(1) });
      await report('removed', { source: other, at: hoursAgo(2.5) });
      await report('bounce', { at: hoursAgo(2) });
      expect(await record()).toMatchObject({ cause: 'bounce' });
    });
  });
});
