import { randomUUID } from 'node:crypto';
import type { EmailAddress } from '../../../src/email-address/email-address.js';
import type { DeliveryEvent } from '../../../src/inbound/parsing/delivery-event.js';
import { deliveryEvent } from '../../../src/inbound/parsing/report.js';
import {
  NO_FAILURES,
  type AddressState,
  type RecordState,
  type LiftTimes,
} from '../../../src/inbound/projection/address-state.js';
import { judge } from '../../../src/inbound/projection/judge.js';
import type { NewEvent } from '../../../src/inbound/projection/event-outcome.js';
import type { Cause } from '../../../src/ledger/cause.js';
import { NOW } from '../../support/deliveries.js';

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
