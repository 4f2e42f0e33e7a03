import { randomUUID } from 'node:crypto';
import { isSuperseded, mayLift } from '../../../src/inbound/projection/report-steps.js';
import type { RecordState } from '../../../src/inbound/projection/address-state.js';
import { CAUSES, type Cause } from '../../../src/ledger/cause.js';
import { NOW } from '../../support/deliveries.js';

const AT = NOW.getTime();

function record(cause: Cause, fields: Partial<RecordState> = {}): RecordState {
  const origin = { addedFor: cause, isOwn: true, isImported: false, reports: 1 };
  return { id: randomUUID(), emailId: null, cause, weakerCauses: [], expiresAt: null, ...origin, ...fields };
}

describe('a lift', () => {
  it.each<[string, RecordState, removed: boolean, resubscribe: boolean]>([
    ['a bounce', record('bounce'), true, false],
    ['a manual entry', record('manual'), true, false],
    ['an unsubscribe', record('unsubscribe'), false, true],
    ['a complaint', record('complaint'), false, false],
    ['a bounce that became manual', record('manual', { addedFor: 'bounce' }), true, false],
    ['a bounce that became an unsubscribe', record('unsubscribe', { addedFor: 'bounce' }), false, false],
    ['a bounce that became a complaint', record('complaint', { addedFor: 'bounce' }), false, false],
    ['a bounce beside a manual entry', record('manual', { weakerCauses: ['bounce'] }), true, false],
    ['an unsubscribe beside a bounce', record('unsubscribe', { weakerCauses: ['bounce'] }), false, false],
    ['a bounce that was reported twice', record('bounce', { reports: 2 }), true, false],
    ['an unsubscribe that was reported twice', record('unsubscribe', { reports: 2 }), false, false],
    ['a bounce that others changed or reported', record('bounce', { isOwn: false }), false, false],
    ['an unsubscribe that others changed or reported', record('unsubscribe', { isOwn: false }), false, false],
  ])('of %s: by removed %#', (_what, existing, removed, resubscribe) => {
    expect(mayLift('removed', existing, AT, AT)).toBe(removed);
    expect(mayLift('resubscribe', existing, AT, AT)).toBe(resubscribe);
  });

  it('is ignored when the source reported something later', () => {
    expect(mayLift('removed', record('bounce'), AT, AT + 1)).toBe(false);
    expect(mayLift('resubscribe', record('unsubscribe'), AT, AT + 1)).toBe(false);
    expect(mayLift('removed', record('bounce'), AT, -Infinity)).toBe(true);
  });

  it('is no event of another kind', () => {
    expect(CAUSES.filter((cause) => mayLift('delivered', record(cause), AT, AT))).toEqual([]);
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
