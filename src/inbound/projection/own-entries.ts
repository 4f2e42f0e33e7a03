import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { groupBy } from '../../database/rows.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { Source } from '../sources/source.entity.js';
import type { AddressState } from './address-state.js';
import { timeOf, type NewEvent } from './event-outcome.js';

/** How far a provider's clock may be off, and how long the provider may take to add an entry. */
const SETTLING_MS = 5 * 60_000;

const FIND = new PreparedStatement<{ email: EmailAddress; at: Date }>(
  'find-own-entries-of-addresses',
  `SELECT push.email, sent.at
  FROM provider_lists AS list
  JOIN provider_list_pushes AS push ON push.account_id = list.account_id AND push.provider_list_id = list.id
  CROSS JOIN LATERAL (
    VALUES (push.put_at), (CASE WHEN push.action = 'add' THEN push.attempted_at END)
  ) AS sent (at)
  WHERE list.account_id = $1 AND list.provider = $2 AND push.email = ANY ($3) AND sent.at IS NOT NULL`,
);

/**
 * Adds to each state when this service put the address on a list of the provider. Resend and Postmark report such an entry as one
 * that somebody made by hand.
 */
export async function withOwnEntries(
  { accountId, provider }: Source,
  states: AddressState[],
  addresses: Map<EmailAddress, NewEvent[]>,
  transaction: EntityManager,
): Promise<AddressState[]> {
  const manual = [...addresses].filter(([, events]) => events.some(({ kind }) => kind === 'manual'));
  if (manual.length === 0) {
    return states;
  }
  const rows = await FIND.run(transaction, [accountId, provider, manual.map(([email]) => email)]);
  const byAddress = groupBy(rows, ({ email }) => email);
  return states.map((state) => ({
    ...state,
    putAt: (byAddress.get(state.email) ?? []).map(({ at }) => at.getTime()),
  }));
}

export function isOwnEntry({ putAt }: AddressState, event: NewEvent): boolean {
  return event.kind === 'manual' && putAt.some((at) => Math.abs(timeOf(event) - at) <= SETTLING_MS);
}
