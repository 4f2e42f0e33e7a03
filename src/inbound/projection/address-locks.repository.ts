import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { RowSet } from '../../database/row-set.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { DeliveryEvent } from '../parsing/delivery-event.js';
import type { Source } from '../sources/source.entity.js';

/** A prefix of what is hashed, so that no other advisory lock of the service has the same key. */
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

export interface AddressLock {
  email: EmailAddress;
  exclusive: boolean;
}

/**
 * Locks addresses among deliveries, whether they are on the list or not. An event that reads the inbox would miss what
 * another delivery is storing about the same address.
 */
@Injectable()
export class AddressLocksRepository {
  /** Holds the locks until the transaction ends. Must be called at most once in it, before it writes to the list. */
  async take(accountId: number, locks: AddressLock[], transaction: EntityManager): Promise<void> {
    await LOCK_ADDRESSES.run(transaction, [
      accountId,
      LOCK_SPACE,
      LOCKS_PER_ACCOUNT,
      ...REQUIRED.values(locks),
    ]);
  }
}

/** An event that counts or lifts reads the inbox, so it excludes all others about the address. Reports exclude only those. */
export function lockFor(
  { recipient: email, effect }: DeliveryEvent,
  { options }: Source,
): AddressLock | undefined {
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
