import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { transactionBefore } from '../../../src/database/transaction.js';
import type { EmailAddress } from '../../../src/email-address/email-address.js';
import type { DeliveryEvent } from '../../../src/inbound/parsing/delivery-event.js';
import { deliveryEvent } from '../../../src/inbound/parsing/report.js';
import {
  type AddressState,
  type LiftTimes,
  NO_FAILURES,
  type RecordState,
} from '../../../src/inbound/projection/address-state.js';
import type { NewEvent } from '../../../src/inbound/projection/event-outcome.js';
import { judge } from '../../../src/inbound/projection/judge.js';
import { findSoftFailures } from '../../../src/inbound/projection/rare-facts.js';
import { isSuperseded, mayLift } from '../../../src/inbound/projection/report-steps.js';
import type { SoftLimit } from '../../../src/inbound/sources/source.entity.js';
import { type Cause, CAUSES } from '../../../src/ledger/cause.js';
import { NOW } from '../../support/deliveries.js';
import { findRecord, reportSoftFailure } from '../../support/facts.js';
import {
  createSource,
  postWithCredential,
  readInbox,
  readLedger,
  sparkpostBatch,
  type TestSource,
} from '../../support/sources.js';
import { createWorld, suppress, type World } from '../../support/world.js';

const EMAIL = 'ada@example.com' as EmailAddress;
const HOUR_MS = 3_600_000;
const NEVER_LIFTED: LiftTimes = {
  bounce: -Infinity,
  manual: -Infinity,
  unsubscribe: -Infinity,
  complaint: -Infinity,
};
const RULES = { softLimit: { failures: 2, days: 7 }, stillListed: () => 'Still on the list.' };

function event(
  meaning: `${NewEvent['kind']} ${NewEvent['effect']}`,
  fields: Partial<DeliveryEvent> = {},
): NewEvent {
  const [kind, effect] = meaning.split(' ') as [NewEvent['kind'], NewEvent['effect']];
  const key = randomUUID();
  const reported = deliveryEvent({ key, kind, effect, recipient: EMAIL, reason: 'The provider says so.' });
  return { ...reported, ...fields, id: randomUUID(), receivedAt: NOW };
}

function absent(fields: Partial<AddressState> = {}): AddressState {
  return {
    email: EMAIL,
    placeholder: randomUUID(),
    record: null,
    isRemovedByPerson: false,
    liftedAt: NEVER_LIFTED,
    lastReportAt: -Infinity,
    earlyRemovalAt: -Infinity,
    failures: NO_FAILURES,
    hasRules: false,
    allowedBy: null,
    bounceTerms: [],
    putAt: [],
    now: NOW,
    ...fields,
  };
}

function present(cause: Cause, record: Partial<RecordState> = {}): AddressState {
  const origin = { addedFor: cause, isOwn: true, isImported: false, reports: 1 };
  return absent({
    placeholder: null,
    record: {
      id: randomUUID(),
      cause,
      weakerCauses: [],
      emailId: null,
      expiresAt: null,
      ...origin,
      ...record,
    },
  });
}

/** What the events did, in short. */
function outcomesOf(state: AddressState, ...events: NewEvent[]): string[] {
  return judge(state, events, RULES).outcomes.map(({ outcome }) => outcome);
}

const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * HOUR_MS);

describe('an address without a record', () => {
  it.each<[...Parameters<typeof event>, outcome: string, cause: Cause | null]>([
    ['bounce suppress', {}, 'added', 'bounce'],
    ['manual suppress', {}, 'added', 'manual'],
    ['unsubscribe suppress', {}, 'added', 'unsubscribe'],
    ['complaint suppress', {}, 'added', 'complaint'],
    ['complaint suppress-if-absent', {}, 'added', 'complaint'],
    ['bounce watch', {}, 'counted', null],
    ['complaint watch', {}, 'counted', null],
    ['removed lift', {}, 'nothing', null],
    ['resubscribe lift', {}, 'nothing', null],
    ['delivered success', {}, 'nothing', null],
    ['unknown none', {}, 'nothing', null],
  ])('after %s', (meaning, fields, outcome, cause) => {
    const judgment = judge(absent(), [event(meaning, fields)], RULES);
    expect(judgment.outcomes.map((one) => one.outcome)).toEqual([outcome]);
    expect(judgment.record?.cause ?? null).toBe(cause);
    expect(judgment.changes).toHaveLength(cause ? 1 : 0);
  });

  it('gets a record in the place of its placeholder, and later ones with other ids', () => {
    const state = absent();
    const { changes, record, reservation } = judge(
      state,
      [event('bounce suppress'), event('removed lift'), event('bounce suppress')],
      RULES,
    );
    expect(changes.map(({ action }) => action)).toEqual(['added', 'removed', 'added']);
    expect(reservation).toBe(state.placeholder);
    expect(changes.slice(0, 2).map(({ suppressionId }) => suppressionId)).toEqual([reservation, reservation]);
    expect(changes[2]!.suppressionId).toBe(record!.id);
    expect(record).toMatchObject({
      id: expect.not.stringContaining(reservation),
    });
  });

  it("that a person removed is not added again because of a refusal by the provider's own list", () => {
    const removed = (isRemovedByPerson: boolean) => absent({ isRemovedByPerson });
    const listed = event('bounce suppress-if-absent');
    expect(judge(removed(true), [listed], RULES)).toMatchObject({
      outcomes: [{ outcome: 'nothing', suppressionId: null, reason: 'Still on the list.' }],
      changes: [],
      record: null,
    });
    expect(outcomesOf(removed(false), listed)).toEqual(['added']);
    expect(outcomesOf(removed(true), event('bounce suppress'))).toEqual(['added']);
  });

  it.each<[...Parameters<typeof event>, outcome: string]>([
    ['bounce suppress', { occurredAt: hoursAgo(2) }, 'nothing'],
    ['manual suppress', { occurredAt: hoursAgo(2) }, 'nothing'],
    ['bounce suppress-if-absent', { occurredAt: hoursAgo(2) }, 'nothing'],
    ['bounce suppress', { occurredAt: hoursAgo(1) }, 'added'],
    ['bounce suppress', { occurredAt: null }, 'added'],
    ['unsubscribe suppress', { occurredAt: hoursAgo(2) }, 'added'],
    ['complaint suppress', { occurredAt: hoursAgo(2) }, 'added'],
  ])('whose removal an hour ago was reported first, after %s with %j', (meaning, fields, outcome) => {
    const removal = event('removed lift', { occurredAt: hoursAgo(1) });
    expect(outcomesOf(absent(), removal, event(meaning, fields))).toEqual(['nothing', outcome]);
    const earlier = absent({ earlyRemovalAt: hoursAgo(1).getTime() });
    expect(outcomesOf(earlier, event(meaning, fields))).toEqual([outcome]);
  });
});

describe('an address whose cause was lifted an hour ago', () => {
  const liftedAt = { ...NEVER_LIFTED, unsubscribe: hoursAgo(1).getTime() };
  const late = event('unsubscribe suppress', { occurredAt: hoursAgo(2) });

  it.each<[...Parameters<typeof event>, outcome: string]>([
    ['unsubscribe suppress', { occurredAt: hoursAgo(2) }, 'nothing'],
    ['unsubscribe suppress-if-absent', { occurredAt: hoursAgo(2) }, 'nothing'],
    ['unsubscribe suppress', { occurredAt: hoursAgo(1) }, 'added'],
    ['unsubscribe suppress', { occurredAt: null }, 'added'],
    ['complaint suppress', { occurredAt: hoursAgo(2) }, 'added'],
    ['bounce suppress', { occurredAt: hoursAgo(2) }, 'added'],
  ])('after %s with %j', (meaning, fields, outcome) => {
    expect(outcomesOf(absent({ liftedAt }), event(meaning, fields))).toEqual([outcome]);
  });

  it('does not get the cause again if it has a record', () => {
    const state = { ...present('bounce'), liftedAt };
    expect(judge(state, [late], RULES)).toMatchObject({
      outcomes: [{ outcome: 'nothing', suppressionId: null }],
      changes: [],
      record: state.record,
    });
  });

  it('keeps a record that has the cause again', () => {
    const state = { ...present('unsubscribe'), liftedAt };
    expect(judge(state, [late], RULES).outcomes).toMatchObject([
      { outcome: 'nothing', suppressionId: state.record!.id },
    ]);
  });

  it('by the provider, in the same delivery, does not get it again', () => {
    const removal = event('removed lift', { occurredAt: hoursAgo(1) });
    const bounces = [3, 2, 0].map((hours) => event('bounce suppress', { occurredAt: hoursAgo(hours) }));
    const [first, older, newer] = bounces as [NewEvent, NewEvent, NewEvent];
    expect(outcomesOf(absent(), first, removal, older, newer)).toEqual([
      'added',
      'removed',
      'nothing',
      'added',
    ]);
  });

  it('counts no earlier soft failures', () => {
    const failures = [2, 2, 0, 0].map((hours) => event('bounce watch', { occurredAt: hoursAgo(hours) }));
    const state = absent({ liftedAt: { ...NEVER_LIFTED, bounce: hoursAgo(1).getTime() } });
    expect(outcomesOf(state, ...failures)).toEqual(['counted', 'counted', 'counted', 'added']);
  });
});

describe('an address with a record', () => {
  it.each<[Cause, ...Parameters<typeof event>, outcome: string]>([
    ['bounce', 'manual suppress', {}, 'strengthened'],
    ['bounce', 'unsubscribe suppress', {}, 'strengthened'],
    ['bounce', 'complaint suppress', {}, 'strengthened'],
    ['unsubscribe', 'complaint suppress', {}, 'strengthened'],
    ['bounce', 'bounce suppress', {}, 'nothing'],
    ['complaint', 'unsubscribe suppress', {}, 'cause_added'],
    ['complaint', 'complaint suppress', {}, 'nothing'],
    ['bounce', 'complaint suppress-if-absent', {}, 'nothing'],
    ['bounce', 'bounce watch', {}, 'counted'],
    ['bounce', 'delivered success', {}, 'nothing'],
    ['bounce', 'unknown none', {}, 'nothing'],
  ])('of a %s, after %s', (cause, meaning, fields, outcome) => {
    const state = present(cause);
    const one = event(meaning, { emailId: randomUUID(), ...fields });
    const { outcomes, record } = judge(state, [one], RULES);
    expect(outcomes).toMatchObject([{ outcome }]);
    expect(record).toMatchObject(
      outcome === 'strengthened'
        ? { id: state.record!.id, cause: one.kind, emailId: one.emailId, addedFor: cause }
        : { id: state.record!.id, cause },
    );
  });
});

describe('soft failures', () => {
  const failure = (fields: Partial<DeliveryEvent> = {}) => event('bounce watch', fields);

  it('add the address when they reach the limit', () => {
    const { outcomes, changes } = judge(absent(), [failure(), failure(), failure()], RULES);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['counted', 'added', 'counted']);
    expect(changes).toMatchObject([
      {
        action: 'added',
        cause: 'bounce',
        note: 'Too many soft failures, the last one: The provider says so.',
      },
    ]);
  });

  it.each<[Cause, Partial<RecordState>, outcome: string]>([
    ['manual', {}, 'cause_added'],
    ['unsubscribe', {}, 'cause_added'],
    ['complaint', { weakerCauses: ['unsubscribe'] }, 'cause_added'],
    ['bounce', {}, 'counted'],
    ['unsubscribe', { weakerCauses: ['bounce'] }, 'counted'],
  ])('that reach the limit of an address with a %s and %j', (cause, fields, outcome) => {
    const state = present(cause, { emailId: randomUUID(), ...fields });
    const last = failure({ emailId: randomUUID() });
    const { outcomes, changes, record } = judge(state, [failure(), last, failure()], RULES);
    expect(outcomes.map((one) => one.outcome)).toEqual(['counted', outcome, 'counted']);
    const weakerCauses = [...state.record!.weakerCauses, ...(outcome === 'cause_added' ? ['bounce'] : [])];
    expect(record).toEqual({ ...state.record, weakerCauses });
    expect(changes).toMatchObject(
      outcome === 'cause_added' ? [{ action: outcome, cause: 'bounce', emailId: last.emailId }] : [],
    );
  });

  it('suppress an address with a record for as long as a hard bounce would', () => {
    const state = { ...present('unsubscribe'), bounceTerms: [7] };
    const expiresAt = hoursAgo(-7 * 24);
    expect(judge(state, [failure(), failure()], RULES)).toMatchObject({
      record: { cause: 'unsubscribe', expiresAt },
      changes: [{ action: 'cause_added', expiresAt }],
    });
  });

  it('are ignored if a rule allows an address with a record', () => {
    const allowedBy = { id: randomUUID(), effect: 'allow', topicId: null, pattern: EMAIL } as never;
    const state = { ...present('unsubscribe'), allowedBy };
    expect(outcomesOf(state, failure(), failure())).toEqual(['counted', 'ignored']);
  });

  it('never add the address where the source has no limit', () => {
    const { outcomes } = judge(absent(), [failure(), failure(), failure()], {
      ...RULES,
      softLimit: undefined,
    });
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['counted', 'counted', 'counted']);
  });

  it('of one email count once', () => {
    const rawMessageId = 'mail-1';
    expect(outcomesOf(absent(), failure({ rawMessageId }), failure({ rawMessageId }))).toEqual([
      'counted',
      'counted',
    ]);
  });

  it('no longer count after mail arrived, or after the days of the limit', () => {
    const arrival = event('delivered success', { occurredAt: hoursAgo(1) });
    expect(outcomesOf(absent(), failure({ occurredAt: hoursAgo(2) }), arrival, failure())).toEqual([
      'counted',
      'nothing',
      'counted',
    ]);
    expect(outcomesOf(absent(), arrival, failure({ occurredAt: hoursAgo(2) }), failure())).toEqual([
      'nothing',
      'counted',
      'counted',
    ]);
    expect(outcomesOf(absent(), failure({ occurredAt: hoursAgo(8 * 24) }), failure())).toEqual([
      'counted',
      'counted',
    ]);
  });

  it('are counted from zero after a lift', () => {
    const events = [
      failure(),
      event('unsubscribe suppress'),
      event('resubscribe lift'),
      failure(),
      failure(),
    ];
    expect(outcomesOf(absent(), ...events)).toEqual(['counted', 'added', 'removed', 'counted', 'added']);
  });

  it('continue those from before the delivery', () => {
    const mails = new Map([['mail-1', hoursAgo(1).getTime()]]);
    const state = absent({ failures: { ...NO_FAILURES, mails } });
    expect(outcomesOf(state, failure())).toEqual(['added']);
    expect(outcomesOf(state, failure({ rawMessageId: 'mail-1' }))).toEqual(['counted']);
  });
});

const AT = NOW.getTime();

function recordWith(cause: Cause, fields: Partial<RecordState> = {}): RecordState {
  const origin = { addedFor: cause, isOwn: true, isImported: false, reports: 1 };
  return { id: randomUUID(), emailId: null, cause, weakerCauses: [], expiresAt: null, ...origin, ...fields };
}

describe('a lift', () => {
  it.each<[string, RecordState, removed: boolean, resubscribe: boolean]>([
    ['a bounce', recordWith('bounce'), true, false],
    ['a manual entry', recordWith('manual'), true, false],
    ['an unsubscribe', recordWith('unsubscribe'), false, true],
    ['a complaint', recordWith('complaint'), false, false],
    ['a bounce that became manual', recordWith('manual', { addedFor: 'bounce' }), true, false],
    ['a bounce that became an unsubscribe', recordWith('unsubscribe', { addedFor: 'bounce' }), false, false],
    ['a bounce that became a complaint', recordWith('complaint', { addedFor: 'bounce' }), false, false],
    ['a bounce beside a manual entry', recordWith('manual', { weakerCauses: ['bounce'] }), true, false],
    ['an unsubscribe beside a bounce', recordWith('unsubscribe', { weakerCauses: ['bounce'] }), false, false],
    ['a bounce that was reported twice', recordWith('bounce', { reports: 2 }), true, false],
    ['an unsubscribe that was reported twice', recordWith('unsubscribe', { reports: 2 }), false, false],
    ['a bounce that others changed or reported', recordWith('bounce', { isOwn: false }), false, false],
    [
      'an unsubscribe that others changed or reported',
      recordWith('unsubscribe', { isOwn: false }),
      false,
      false,
    ],
  ])('of %s: by removed %#', (_what, existing, removed, resubscribe) => {
    expect(mayLift('removed', existing, AT, AT)).toBe(removed);
    expect(mayLift('resubscribe', existing, AT, AT)).toBe(resubscribe);
  });

  it('is ignored when the source reported something later', () => {
    expect(mayLift('removed', recordWith('bounce'), AT, AT + 1)).toBe(false);
    expect(mayLift('resubscribe', recordWith('unsubscribe'), AT, AT + 1)).toBe(false);
    expect(mayLift('removed', recordWith('bounce'), AT, -Infinity)).toBe(true);
  });

  it('is no event of another kind', () => {
    expect(CAUSES.filter((cause) => mayLift('delivered', recordWith(cause), AT, AT))).toEqual([]);
  });
});

describe('a report that arrives after a later removal at the provider', () => {
  it.each<[Cause, boolean]>([
    ['bounce', true],
    ['manual', true],
    ['unsubscribe', false],
    ['complaint', false],
  ])('of a %s is superseded: %s', (cause, superseded) => {
    expect(isSuperseded(cause, new Date(AT - 1), AT)).toBe(superseded);
  });

  it('is believed if it happened at the same time, or at an unknown time', () => {
    expect(isSuperseded('bounce', new Date(AT), AT)).toBe(false);
    expect(isSuperseded('bounce', null, AT)).toBe(false);
  });
});

describe('soft failures of a source', () => {
  let world: World;
  let email: string;
  beforeAll(async () => (world = await createWorld()));
  beforeEach(() => (email = `${randomUUID()}@example.com`));
  afterAll(() => world.close());

  const fail = (source: TestSource, daysAgo = 0, fields = {}) =>
    reportSoftFailure(world, source, email, daysAgo, fields);
  const failTwice = (source: TestSource) => {
    const failure = { type: 'bounce', bounce_class: '22', raw_rcpt_to: email };
    return postWithCredential(world, source, sparkpostBatch([failure, failure]));
  };
  const createLimited = (softLimit?: SoftLimit) =>
    createSource(world, 'sparkpost', { options: softLimit ? { softLimit } : {} });
  const record = () => findRecord(world, email);
  const remove = () => world.as(world.alice).delete(`/suppressions/${email}`).expect(200);
  const removeBounce = () => world.as(world.alice).delete(`/suppressions/${email}?cause=bounce`).expect(200);

  it('are counted and never suppress without a limit', async () => {
    const source = await createLimited();
    for (let count = 0; count < 6; count++) {
      await fail(source);
    }
    expect(await record()).toBeUndefined();
    expect(new Set(await readInbox(world, source))).toEqual(new Set([`${email} bounce watch: counted`]));
  });

  it('suppress as a bounce when they reach the limit', async () => {
    const source = await createLimited({ failures: 3, days: 7 });
    await fail(source);
    await fail(source);
    expect(await record()).toBeUndefined();
    await fail(source);
    expect(await record()).toMatchObject({ cause: 'bounce' });
    expect((await readInbox(world, source)).at(-1)).toBe(`${email} bounce watch: added`);
    const { body } = await world.as(world.alice).get(`/suppressions/${email}/history`);
    expect(body.data[0].note).toBe('Too many soft failures, the last one: 452 mailbox full');
  });

  it('from before a removal do not count, although they arrive later', async () => {
    const source = await createLimited({ failures: 2, days: 7 });
    await suppress(world, world.alice, [email]);
    await remove();
    await fail(source, 1);
    await fail(source, 1);
    await fail(source);
    expect(await record()).toBeUndefined();
    await fail(source);
    expect(await record()).toMatchObject({ cause: 'bounce' });
  });

  it('add the bounce to an address with a record, so that no mail is sent to it', async () => {
    const source = await createLimited({ failures: 2, days: 7 });
    await fail(source, 0, { type: 'list_unsubscribe' });
    const check = async () => {
      const body = { emails: [email], transactional: true };
      const response = await world.as(world.alice).post('/suppressions/check').send(body).expect(200);
      return response.body.data[0].verdict;
    };
    await fail(source);
    expect(await check()).toBe('send');
    await fail(source);
    expect(await check()).toBe('suppressed');
    await fail(source);
    expect(await record()).toMatchObject({ cause: 'unsubscribe' });
    expect(await readLedger(world, email)).toEqual([
      'added unsubscribe by sparkpost',
      'cause_added bounce by sparkpost',
    ]);
    expect((await readInbox(world, source)).filter((line) => line.startsWith(email))).toEqual([
      `${email} unsubscribe suppress: added`,
      `${email} bounce watch: counted`,
      `${email} bounce watch: cause_added`,
      `${email} bounce watch: counted`,
    ]);
  });

  it('are counted from zero after a person removes the bounce from a record that remains', async () => {
    const source = await createLimited({ failures: 2, days: 7 });
    await suppress(world, world.alice, [email]);
    await fail(source);
    await fail(source);
    await removeBounce();
    await fail(source);
    expect(await record()).toMatchObject({ cause: 'manual', weaker_causes: 0 });
    await fail(source);
    expect(await record()).toMatchObject({ cause: 'manual', weaker_causes: 1 });
  });

  it('are read up to the limit, the latest ones first', async () => {
    const source = await createLimited({ failures: 5, days: 7 });
    for (const daysAgo of [2, 0, 3, 1]) {
      await fail(source, daysAgo, { message_id: `mail-${daysAgo}` });
    }
    const deadline = performance.now() + 4_000;
    const found = await transactionBefore(world.app.get(DataSource), { deadline }, (transaction) => {
      const receivedAt = new Date();
      const current = { id: randomUUID(), receivedAt } as NewEvent;
      const events = new Map([[email as EmailAddress, [current]]]);
      return findSoftFailures(source, { failures: 2, days: 7 }, events, transaction);
    });
    expect([...found].map(([address, { mails }]) => [address, [...mails.keys()]])).toEqual([
      [email, ['mail-0', 'mail-1']],
    ]);
  });

  it('are counted from zero after mail arrives, and after a person removes the address', async () => {
    const source = await createLimited({ failures: 2, days: 7 });
    await fail(source, 2);
    await fail(source, 1, { type: 'delivery' });
    await fail(source);
    expect(await record()).toBeUndefined();
    await fail(source);
    expect(await record()).toMatchObject({ cause: 'bounce' });
    await remove();
    await fail(source);
    expect(await record()).toBeUndefined();
  });

  it('from before a removal do not count, even if the database clock was set back', async () => {
    const source = await createLimited({ failures: 3, days: 7 });
    await fail(source);
    await fail(source);
    const future = `overlay(id::text PLACING 'fff' FROM 1 FOR 3)::uuid`;
    await world.database.query(`UPDATE delivery_events SET id = ${future} WHERE recipient = $1`, [email]);
    await suppress(world, world.alice, [email]);
    await remove();
    await fail(source);
    expect(await record()).toBeUndefined();
    await fail(source);
    await fail(source);
    expect(await record()).toMatchObject({ cause: 'bounce' });
  });

  it('do not count if they are too old, of another source, or of the same mail', async () => {
    const source = await createLimited({ failures: 2, days: 7 });
    await fail(source, 8);
    await fail(await createLimited({ failures: 2, days: 7 }));
    await fail(source, 0, { message_id: 'abc' });
    await fail(source, 0, { message_id: 'abc' });
    expect(await record()).toBeUndefined();
  });

  it('are counted in the order in which they are reported, each with the earlier ones', async () => {
    const source = await createLimited({ failures: 2, days: 7 });
    const now = Math.floor(Date.now() / 1000);
    const failure = { type: 'bounce', bounce_class: '22' };
    const reportAll = async (...events: Record<string, unknown>[]) => {
      email = `${randomUUID()}@example.com`;
      const batch = events.map((reported, index) => ({
        raw_rcpt_to: email,
        timestamp: String(now - 100 + index),
        ...reported,
      }));
      expect((await postWithCredential(world, source, sparkpostBatch(batch))).status).toBe(200);
      const inbox = await readInbox(world, source);
      return inbox.filter((line) => line.startsWith(email)).map((line) => line.split(': ')[1]);
    };
    const arrival = { type: 'delivery' };
    expect((await reportAll(failure, failure, arrival)).toSorted()).toEqual(['added', 'counted', 'nothing']);
    expect(
      (await reportAll(arrival, { ...failure, timestamp: String(now - 200) }, failure)).toSorted(),
    ).toEqual(['counted', 'counted', 'nothing']);
    await reportAll(arrival);
    await fail(source, 1);
    await fail(source);
    expect(await record()).toBeUndefined();
    expect((await reportAll(failure, arrival, failure)).toSorted()).toEqual([
      'counted',
      'counted',
      'nothing',
    ]);
    expect(await record()).toBeUndefined();
  });

  it.each(['address', 'bounce'])(
    'are also counted from zero if the %s is removed meanwhile',
    async (what) => {
      const source = await createLimited({ failures: 2, days: 7 });
      await fail(source);
      await fail(source);
      if (what === 'bounce') {
        await suppress(world, world.alice, [email]);
      }
      const row = await world.database.lockRow('suppressions', `email = '${email}'`);
      const removal = (what === 'bounce' ? removeBounce() : remove()).then(({ status }) => status);
      await world.database.untilWaiting();
      const failures = failTwice(source);
      await world.database.untilWaiting(2);
      await row.release();
      expect(await removal).toBe(200);
      expect((await failures).status).toBe(200);
      expect((await readLedger(world, email)).at(-1)).toMatch(/removed bounce/);
    },
  );

  it('that arrive at the same time are counted one after the other', async () => {
    const source = await createLimited({ failures: 5, days: 7 });
    await Promise.all(Array.from({ length: 5 }, () => fail(source)));
    expect(await readLedger(world, email)).toEqual(['added bounce by sparkpost']);
  });
});
