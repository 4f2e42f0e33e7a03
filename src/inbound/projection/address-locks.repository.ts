import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';

/** The first key of our advisory locks on addresses is made of this and the account; the second one is one of so many. */
const LOCK_SPACE = 'address';
const LOCKS_OF_ACCOUNT = 64;

/**
 * The locks of an account are few, so that a large delivery does not fill PostgreSQL's table of locks, and are taken in their
 * order, each at once as it is needed: one that is shared and wanted alone later would be waited for in a circle. Two accounts
 * share theirs only by chance, as one hash in four billion does.
 */
const LOCK_ADDRESSES = new PreparedStatement<Record<string, never>>(
  'lock-addresses',
  `SELECT CASE
    WHEN is_alone THEN pg_advisory_xact_lock(account, number)
    ELSE pg_advisory_xact_lock_shared(account, number)
  END
  FROM (
    SELECT
      hashtext($4::text || ' ' || $1::integer) AS account,
      mod(hashtext(recipient) & 2147483647, $5::integer) AS number,
      bool_or(alone) AS is_alone
    FROM unnest($2::text[], $3::boolean[]) AS wanted (recipient, alone)
    GROUP BY number
    ORDER BY number
  ) AS locks`,
);

/** An address that events are about. */
export interface WantedLock {
  recipient: EmailAddress;
  /** Of those who want an address alone, each waits for all others. */
  alone: boolean;
}

/**
 * Locks on addresses, whether they are on the list or not. What an event finds in the inbox about its recipient would
 * miss what another delivery is just storing.
 */
@Injectable()
export class AddressLocksRepository {
  /** Until the end of the transaction. To be asked for once in it, before it touches the list. */
  async take(accountId: number, wanted: WantedLock[], transaction: EntityManager): Promise<void> {
    await LOCK_ADDRESSES.run(transaction, [
      accountId,
      wanted.map(({ recipient }) => recipient),
      wanted.map(({ alone }) => alone),
      LOCK_SPACE,
      LOCKS_OF_ACCOUNT,
    ]);
  }
}
