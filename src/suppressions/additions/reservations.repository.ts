import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Identity } from '../../audit/request-context.js';
import { afterCommit } from '../../database/transaction.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { hideLength, RowSet } from '../../database/rows.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { maskOf, type Cause } from '../../ledger/cause.js';
import { changeParameters, insertChanges } from '../../ledger/ledger-sql.js';
import type { SuppressionChange } from '../../ledger/suppression-change.entity.js';
import { Metrics } from '../../metrics/metrics.js';
import { createdAtOf, newSuppression, type NewSuppression } from '../suppression-id.js';

/** The record that a reserved address has or will have. */
export interface ReservedRecord {
  id: string;
  cause: Cause;
  weakerCauses: readonly Cause[];
  emailId: string | null;
  /** When bounces and manual entries expire; null if never. */
  expiresAt: Date | null;
}

/** The record of a reserved address after the transaction; null if it has none. */
export interface FinalRecord {
  email: EmailAddress;
  /** The id of the record, or of the placeholder, that was reserved. */
  reservation: string;
  record: ReservedRecord | null;
}

/** A ledger line about the list, without what the statement that writes it adds. */
export type NewChange = Pick<
  SuppressionChange,
  'action' | 'email' | 'emailId' | 'occurredAt' | 'eventId' | 'note' | 'expiresAt'
> & { suppressionId: string; cause: Cause };

/** A row that reserves an address without a record. */
export interface Placeholder extends NewSuppression {
  /** The cause that the record will probably have, so that the row need not be written again. */
  cause: Cause;
}

export function newPlaceholder(email: EmailAddress, cause: Cause): Placeholder {
  return { ...newSuppression(email), cause };
}

const REQUESTED = new RowSet(2, {
  id: 'uuid',
  email: 'text',
  createdAt: 'timestamptz',
  cause: 'suppression_cause',
});

/** On conflict, the existing record is locked, although nothing is updated. */
const RESERVE = new PreparedStatement<{ id: string }>(
  'reserve-addresses',
  `INSERT INTO suppressions (account_id, ${REQUESTED.names})
  SELECT $1, requested.*
  FROM ${REQUESTED.as('requested')}
  ORDER BY requested.email
  ON CONFLICT (account_id, email) DO UPDATE
  SET cause = excluded.cause
  WHERE false
  RETURNING id`,
);

const FILLED = new RowSet(8, {
  email: 'text',
  id: 'uuid',
  cause: 'suppression_cause',
  emailId: 'uuid',
  createdAt: 'timestamptz',
  weakerCauses: 'smallint',
  expiresAt: 'timestamptz',
});

const CHANGES = new RowSet(FILLED.next, {
  action: 'suppression_action',
  suppressionId: 'uuid',
  email: 'text',
  cause: 'suppression_cause',
  emailId: 'uuid',
  occurredAt: 'timestamptz',
  eventId: 'uuid',
  note: 'text',
  expiresAt: 'timestamptz',
});

/** Finds records by conflicts, since an UPDATE with a join may have a plan that reads the whole list. */
const SETTLE = new PreparedStatement<Record<string, never>>(
  'settle-reservations',
  `WITH emptied AS (
    DELETE FROM suppressions
    WHERE account_id = $1
      AND created_at = ANY (${hideLength('$6', 'timestamptz')})
      AND id = ANY (${hideLength('$7', 'uuid')})
  ),
  filled AS (
    INSERT INTO suppressions (account_id, ${FILLED.names})
    SELECT $1, final.*
    FROM ${FILLED.as('final')}
    ON CONFLICT (account_id, email) DO UPDATE
    SET id = excluded.id,
      cause = excluded.cause,
      weaker_causes = excluded.weaker_causes,
      email_id = excluded.email_id,
      created_at = excluded.created_at,
      import_id = NULL,
      expires_at = excluded.expires_at
  ),
  change AS (
    SELECT * FROM ${CHANGES.as('change', { isNumbered: true })} ORDER BY number
  ),
  ${insertChanges({ expiresAt: 'expires_at' })}
  SELECT FROM logged WHERE false`,
);

/**
 * Reserves addresses for a transaction that reads before it decides. Until the transaction ends, no other transaction can
 * change or add their records.
 */
@Injectable()
export class ReservationsRepository {
  constructor(private readonly metrics: Metrics) {}

  /**
   * Locks the records of addresses, and inserts the placeholder of each address that has none. The transaction must
   * {@link settle} every placeholder. Locks are taken in the order of the addresses, so that no two statements deadlock.
   *
   * @returns the placeholders that were inserted
   */
  async reserve(
    accountId: number,
    placeholders: Placeholder[],
    transaction: EntityManager,
  ): Promise<Placeholder[]> {
    const rows = await RESERVE.run(transaction, [accountId, ...REQUESTED.values(placeholders)]);
    const inserted = new Set(rows.map(({ id }) => id));
    return placeholders.filter(({ id }) => inserted.has(id));
  }

  /**
   * Writes the final records of reserved addresses, with the changes that led to them.
   *
   * @param changes - in chronological order for each address
   */
  async settle(
    { accountId, actor }: Identity,
    records: FinalRecord[],
    changes: NewChange[],
    transaction: EntityManager,
  ): Promise<void> {
    const emptied = records.filter(({ record }) => !record).map(({ reservation }) => reservation);
    const filled = records.flatMap(({ email, record }) =>
      record
        ? [{ ...record, email, createdAt: createdAtOf(record.id), weakerCauses: maskOf(record.weakerCauses) }]
        : [],
    );
    await SETTLE.run(transaction, [
      ...changeParameters(accountId, actor),
      emptied.map(createdAtOf),
      emptied,
      ...FILLED.values(filled),
      ...CHANGES.values(changes),
    ]);
    afterCommit(transaction, () => this.metrics.countChanges(actor.type, changes));
  }
}
