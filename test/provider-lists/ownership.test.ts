import type { EmailAddress } from '../../src/email-address/email-address.js';
import { maskOf, type Cause } from '../../src/ledger/cause.js';
import { ProviderFailure, isAbsent } from '../../src/provider-lists/client/provider-failure.js';
import { listProviderOf, type ListProviderName } from '../../src/provider-lists/providers/providers.js';
import type { TakenPush } from '../../src/provider-lists/push/outbox.repository.js';
import { isOutdated, judge, type FoundEntry } from '../../src/provider-lists/push/push-outcomes.js';
import { removalCap } from '../../src/provider-lists/push/push-conditions.js';
import { pushesFor, type PushState } from '../../src/provider-lists/push/push-decisions.js';
import { failedOutcome, outcomeOf } from '../../src/provider-lists/push/push-outcomes.js';

const ADA = 'ada@example.com' as EmailAddress;
const SENT = new Date('2026-01-15T09:30:00Z');
const NOW = new Date('2026-01-15T10:00:00Z');
const minutes = (number: number) => new Date(SENT.getTime() + number * 60_000);

const addition: TakenPush = {
  email: ADA,
  list: 'suppressions',
  address: ADA,
  action: 'add',
  cause: 'complaint',
  since: SENT,
  attempts: 2,
  sentAt: null,
  nextAttemptAt: NOW,
  putAt: null,
  planId: null,
  consent: null,
  isWanted: true,
  cappedUntil: null,
};
const removal: TakenPush = { ...addition, action: 'remove' };
const confirmed: TakenPush = { ...removal, consent: { kind: 'recipient_request', reference: '1' } };
const found = (cause: FoundEntry['cause'], listedAt: Date | null, isPermanent = false): FoundEntry => ({
  cause,
  listedAt,
  isPermanent,
});
const verdict = (push: TakenPush, entry: FoundEntry | null, name: ListProviderName = 'ses') =>
  judge(listProviderOf(name), push, entry);

describe('an addition', () => {
  it('is sent if the provider has no entry', () => {
    expect(verdict(addition, null)).toBe('send');
  });

  it('leaves an entry that was there before it was first sent, whatever its date', () => {
    [null, SENT, NOW].forEach((at) => expect(verdict(addition, found('complaint', at))).toBe('there'));
  });

  it('is done if an attempt was sent, and the entry has its cause and its time', () => {
    const sent = { ...addition, sentAt: SENT };
    expect(verdict(sent, found('complaint', minutes(1)))).toBe('done');
    expect(verdict(sent, found('complaint', minutes(6)))).toBe('there');
    expect(verdict(sent, found('complaint', minutes(-6)))).toBe('there');
    expect(verdict(sent, found('complaint', null))).toBe('there');
    expect(verdict(sent, found('bounce', minutes(1)))).toBe('there');
    expect(verdict({ ...sent, cause: 'manual' }, found('complaint', minutes(1)))).toBe('done');
  });
});

describe('a removal', () => {
  it('is done if the provider has no entry', () => {
    expect(verdict(removal, null)).toBe('done');
  });

  it('is sent for an entry with the cause and the time of an addition, and for no other', () => {
    const own = { ...removal, putAt: SENT };
    expect(verdict(own, found('complaint', minutes(-1)))).toBe('send');
    expect(verdict(own, found('complaint', minutes(-6)))).toBe('changed');
    expect(verdict(own, found('complaint', minutes(6)))).toBe('changed');
    expect(verdict(own, found('complaint', null))).toBe('changed');
    expect(verdict(own, found('bounce', SENT))).toBe('changed');
    expect(verdict(removal, found('complaint', SENT))).toBe('changed');
  });

  it('is sent for a bounce that is not later than the lift', () => {
    const lifted: TakenPush = { ...removal, cause: 'bounce' };
    expect(verdict(lifted, found('bounce', minutes(-60)))).toBe('send');
    expect(verdict(lifted, found('bounce', minutes(1)))).toBe('changed');
    expect(verdict(lifted, found('bounce', null))).toBe('changed');
    expect(verdict(lifted, found('complaint', minutes(-60)))).toBe('changed');
  });

  it('is sent for any entry if a person confirmed it, unless the provider refuses it', () => {
    expect(verdict(confirmed, found('unsubscribe', null))).toBe('send');
    expect(verdict(confirmed, found('complaint', null), 'postmark')).toBe('impossible');
    expect(verdict(confirmed, found('complaint', null, true))).toBe('impossible');
  });

  it('is not sent for a complaint that was made after the confirmation, and says so', () => {
    expect(verdict(confirmed, found('complaint', minutes(-60)))).toBe('send');
    expect(verdict(confirmed, found('complaint', SENT))).toBe('send');
    expect(verdict(confirmed, found('complaint', minutes(1)))).toBe('changed');
    expect(outcomeOf(confirmed, 'changed', NOW)).toEqual({
      status: 'failed',
      nextAttemptAt: NOW,
      error: expect.stringContaining('Confirm it again'),
    });
    expect(outcomeOf(removal, 'changed', NOW)).toMatchObject({ isDeleted: true });
  });

  it('that was confirmed more than a week ago is outdated', () => {
    const ses = listProviderOf('ses');
    expect(isOutdated(ses, confirmed, minutes(7 * 24 * 60))).toBe(false);
    expect(isOutdated(ses, confirmed, minutes(7 * 24 * 60 + 1))).toBe(true);
    expect(isOutdated(ses, removal, minutes(30 * 24 * 60))).toBe(false);
  });

  it('that was confirmed more than an hour ago is outdated if the provider finds no entries', () => {
    const brevo = listProviderOf('brevo');
    expect(isOutdated(brevo, confirmed, minutes(60))).toBe(false);
    expect(isOutdated(brevo, confirmed, minutes(61))).toBe(true);
  });

  it('is not decided by a machine if the provider finds no entries', () => {
    const state = {
      email: ADA,
      causes: 0,
      since: null,
      expiresAt: null,
      isHeld: false,
      mayBeHeld: false,
      bounceLiftedAt: NOW,
      entries: [
        {
          list: 'blockedContacts',
          address: ADA,
          cause: 'bounce' as const,
          latestAt: SENT.getTime(),
          isCurrent: false,
        },
      ],
      pushes: [],
    };
    const rules = { pushAdditions: true, pushRemovals: true, pushUnsubscribes: true };
    expect(pushesFor(state, NOW, { ...rules, provider: listProviderOf('brevo') })).toEqual([]);
  });
});

describe('a decision', () => {
  const rules = { pushAdditions: true, pushRemovals: true, pushUnsubscribes: false };
  const mailgun = { ...rules, provider: listProviderOf('mailgun') };
  const sendgrid = { ...rules, provider: listProviderOf('sendgrid') };
  const stateOf = (causes: Cause[], more: Partial<PushState> = {}): PushState => ({
    email: ADA,
    causes: maskOf(causes),
    since: SENT,
    expiresAt: null,
    isHeld: false,
    mayBeHeld: false,
    bounceLiftedAt: null,
    entries: [],
    pushes: [],
    ...more,
  });
  const entry = { list: 'bounces', address: ADA, cause: 'bounce' as const, latestAt: 0, isCurrent: true };
  const put = {
    list: 'unsubscribes',
    address: ADA,
    action: 'add' as const,
    status: 'done',
    isOwn: true,
    isCurrent: true,
    cause: 'bounce' as const,
  };

  it('adds nothing that the provider had for the present record, and looks again after it ended', () => {
    const add = [{ action: 'add', list: 'unsubscribes', cause: 'complaint' }];
    const complaint = (more: Partial<PushState>) => pushesFor(stateOf(['complaint'], more), null, sendgrid);
    expect(complaint({ entries: [entry] })).toEqual([]);
    expect(complaint({ entries: [{ ...entry, isCurrent: false }] })).toMatchObject(add);
    expect(complaint({ pushes: [put] })).toEqual([]);
    expect(complaint({ pushes: [{ ...put, isCurrent: false }] })).toMatchObject(add);
  });

  it('replaces an addition that was not sent if its cause is another one now', () => {
    const pending = { ...put, status: 'pending', isOwn: false };
    expect(pushesFor(stateOf(['complaint', 'bounce'], { pushes: [pending] }), null, sendgrid)).toMatchObject([
      { action: 'add', cause: 'complaint' },
    ]);
    expect(pushesFor(stateOf(['bounce'], { pushes: [pending] }), null, sendgrid)).toEqual([]);
  });

  it('removes a bounce that was lifted although an unsubscribe is left, unless unsubscribes are pushed', () => {
    const state = (...causes: Cause[]) => stateOf(causes, { bounceLiftedAt: NOW, entries: [entry] });
    expect(pushesFor(state('unsubscribe'), NOW, mailgun)).toMatchObject([
      { action: 'remove', cause: 'bounce' },
    ]);
    expect(pushesFor(state('unsubscribe'), NOW, { ...mailgun, pushUnsubscribes: true })).toEqual([]);
    expect(pushesFor(state('manual'), NOW, mailgun)).toEqual([]);
  });

  it('removes an own entry of another cause although an unsubscribe is left, but no unsubscribe that it pushed', () => {
    const state = (pushed: Cause) => stateOf(['unsubscribe'], { pushes: [{ ...put, cause: pushed }] });
    expect(pushesFor(state('bounce'), NOW, sendgrid)).toMatchObject([{ action: 'remove' }]);
    expect(pushesFor(state('unsubscribe'), NOW, sendgrid)).toEqual([]);
    expect(pushesFor({ ...state('unsubscribe'), causes: 0 }, NOW, sendgrid)).toMatchObject([
      { action: 'remove' },
    ]);
  });

  it('adds no bounce that an incident holds, and lets one wait that an incident may hold', () => {
    const bounce = (more: Partial<PushState>) => pushesFor(stateOf(['bounce'], more), null, sendgrid);
    expect(bounce({ expiresAt: NOW })).toMatchObject([{ action: 'add', waits: false }]);
    expect(bounce({ expiresAt: NOW, isHeld: true })).toEqual([]);
    expect(bounce({ mayBeHeld: true })).toMatchObject([{ action: 'add', waits: true }]);
    const complaint = stateOf(['complaint', 'bounce'], { expiresAt: NOW, isHeld: true, mayBeHeld: true });
    expect(pushesFor(complaint, null, sendgrid)).toMatchObject([{ cause: 'complaint', waits: false }]);
  });

  it('removes no own entry that the provider has reported as an opt-out since', () => {
    expect(pushesFor(stateOf([], { pushes: [{ ...put, isOwn: false }] }), null, sendgrid)).toEqual([]);
  });
});

it('caps the removals of a plan at a hundredth of the entries, from 50 to 200', () => {
  expect([0, 5_099, 5_100, 1_000_000].map(removalCap)).toEqual([50, 50, 51, 200]);
});

it('finds no entry of Mailgun that opts out of single tags only', () => {
  const { read } = listProviderOf('mailgun').find!;
  const push = { ...addition, list: 'unsubscribes' };
  expect(read({ address: ADA, tags: ['newsletter'] }, push)).toBeNull();
  expect(read({ address: ADA, tags: ['newsletter', '*'] }, push)).not.toBeNull();
});

describe('the outcome', () => {
  it('marks an entry as put there only if the request was sent', () => {
    expect(outcomeOf({ ...addition, sentAt: SENT }, 'done', NOW)).toMatchObject({
      status: 'done',
      putAt: SENT,
    });
    expect(outcomeOf(addition, 'there', NOW)).toMatchObject({ isDeleted: true });
  });

  it('of a request that was refused forgets that it was sent', () => {
    const busy = new ProviderFailure('busy', 'Too many requests.');
    expect(failedOutcome(addition, busy, NOW)).toMatchObject({ attempts: 1, sentAt: null });
    const down = new ProviderFailure('unavailable', 'The provider failed (500).');
    expect(failedOutcome(addition, down, NOW)).not.toHaveProperty('sentAt');
  });
});

it.each([
  [{ message: 'Address not found in bounces table' }, true],
  [{ message: 'Email address tenant@example.com does not exist on your suppression list.' }, true],
  [{ message: 'Domain not found: mg.example.com' }, false],
  [{ errors: [{ message: 'Subaccount 42 was not found' }] }, false],
  [null, false],
])('a 404 with %j is about the address: %s', (body, isAboutAddress) => {
  expect(isAbsent(body)).toBe(isAboutAddress);
});
