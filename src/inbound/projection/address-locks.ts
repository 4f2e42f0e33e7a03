import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { RowSet } from '../../database/rows.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { DeliveryEvent } from '../parsing/delivery-event.js';
import type { Source } from '../sources/source.entity.js';

/** A prefix of the hashed text, so that no other advisory lock of the service has the same key. */
const LOCK_SPACE = 'address';
/** Few, so that a large delivery does not fill PostgreSQL's lock table. */
const LOCKS_PER_ACCOUNT = 64;

const REQUIRED = new RowSet(4, { email: 'text', exclusive: 'boolean' });

/**
 * Takes the locks in their order, each in its final mode, so that two deliveries never deadlock. Different accounts share
 * locks only if their hashes collide.
 */
const LOCK_ADDRESSES = new PreparedStatement<Record<string, never>>(
  'lock-addresses',
  `SELECT CASE
    WHEN is_exclusive THEN pg_advisory_xact_lock(account, number)
    ELSE pg_advisory_xact_lock_shared(account, number)
  END
  FROM (
    SELECT
      hashtext($2::text || ' ' || $1::integer) AS account,
      mod(hashtext(email) & 2147483647, $3::integer) AS number,
      bool_or(exclusive) AS is_exclusive
    FROM ${REQUIRED.as('required')}
    GROUP BY number
    ORDER BY number
  ) AS locks`,
);

/**
 * Locks addresses against other deliveries until the transaction ends, whether or not they are on the list. Without the lock,
 * an event that reads the inbox would miss an event about the same address that another delivery is storing. Must be called at
 * most once in a transaction, before it stores the events that need a lock, so that deliveries that conflict about an address are
 * judged as they are stored.
 */
export async function lockAddresses(
  source: Source,
  events: DeliveryEvent[],
  transaction: EntityManager,
): Promise<void> {
  const locks = events.flatMap((event) => lockFor(event, source) ?? []);
  if (locks.length > 0) {
    const parameters = [source.accountId, LOCK_SPACE, LOCKS_PER_ACCOUNT, ...REQUIRED.values(locks)];
    await LOCK_ADDRESSES.run(transaction, parameters);
  }
}

/**
 * An event that counts or lifts reads the inbox, so its lock excludes all other events about the address. Reports exclude only
 * such events.
 */
export function lockFor(
  { recipient: email, effect }: DeliveryEvent,
  { options }: Source,
): { email: EmailAddress; exclusive: boolean } | undefined {
  if (email === null) {
    return undefined;
  }
  switch (effect) {
    case 'suppress':
    case 'suppress-if-absent':
      return { email, exclusive: false };
    case 'watch':
      return options.softLimit && { email, exclusive: true };
    case 'lift':
    case 'opt-out':
    case 'opt-in':
      return { email, exclusive: true };
    default:
      return undefined;
  }
}
