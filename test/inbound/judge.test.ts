import { randomUUID } from 'node:crypto';
import type { EmailAddress } from '../../src/email-address/email-address.js';
import { NO_FAILURES, type AddressState } from '../../src/inbound/projection/address-state.js';
import { deliveryEvent } from '../../src/inbound/parsing/delivery-event.js';
import type { NewEvent } from '../../src/inbound/projection/new-event.js';
import { Judge } from '../../src/inbound/projection/judge.js';
import { NOW } from '../support/deliveries.js';

const EMAIL = 'ada@example.com' as EmailAddress;
const SOFT_LIMIT = { failures: 2, days: 7 };

function event(kind: NewEvent['kind'], effect: NewEvent['effect']): NewEvent {
  const key = randomUUID();
  const told = deliveryEvent({ key, kind, effect, recipient: EMAIL, reason: 'It said so.' });
  return { ...told, id: randomUUID(), receivedAt: NOW };
}

describe('a judge', () => {
  const empty: AddressState = {
    email: EMAIL,
    reservation: randomUUID(),
    record: null,
    lastAgainst: -Infinity,
    earlyRemoval: -Infinity,
    failures: NO_FAILURES,
  };

  it('begins to count soft failures anew after a lift', () => {
    const judge = new Judge(empty, SOFT_LIMIT);
    judge.take(event('bounce', 'watch'));
    judge.take(event('unsubscribe', 'suppress'));
    judge.take(event('resubscribe', 'lift'));
    judge.take(event('bounce', 'watch'));
    expect(judge.changes.map(({ action }) => action)).toEqual(['added', 'removed']);
    judge.take(event('bounce', 'watch'));
    expect(judge.changes.map(({ action }) => action)).toEqual(['added', 'removed', 'added']);
  });
});
