import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { hasId } from '../database/has-id.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { ERASED_DOMAIN, type EmailAddress } from '../email-address/email-address.js';
import { causesIn, type Cause } from '../ledger/cause.js';
import type { ReservedRecord } from '../suppressions/additions/reservations.repository.js';
import type { LiftedCause } from './lift.js';
import type { FoundLift } from './lifts.repository.js';

const LINES_AT_ONCE = 500;

/** A line that was applied, with the change that had recorded its cause. */
export interface AppliedLine {
  number: number;
  email: EmailAddress;
  cause: LiftedCause;
  suppressionId: string;
  emailId: string | null;
  eventId: string | null;
  note: string | null;
  expiresAt: Date | null;
  /** When the cause happened, or else when it was recorded. */
  occurredAt: Date;
  /** Whether an erasure has replaced the address in the ledger, and has not kept its block. */
  isErased: boolean;
}

/** A reserved address. */
export interface AddressNow {
  email: EmailAddress;
  /** Its record, or its placeholder. */
  record: ReservedRecord;
  /** Whether somebody has lifted the cause, or removed the record, after the lift. */
  isWithdrawn: boolean;
}

const PAGE = new PreparedStatement<AppliedLine>(
  'list-applied-lift-lines',
  `SELECT
    line.number,
    change.email,
    change.cause,
    change.suppression_id AS "suppressionId",
    change.email_id AS "emailId",
    change.event_id AS "eventId",
    change.note,
    change.expires_at AS "expiresAt",
    least(change.occurred_at, change.created_at) AS "occurredAt",
    change.email LIKE '%@${ERASED_DOMAIN}' AND NOT EXISTS (
      SELECT FROM kept_blocks WHERE account_id = $1 AND pseudonym = change.email
    ) AS "isErased"
  FROM (
    SELECT number, change_id
    FROM lift_lines
    WHERE account_id = $1 AND lift_id = $2 AND number > $3 AND status = 'applied'
    ORDER BY number
    LIMIT ${LINES_AT_ONCE}
  ) AS line
  CROSS JOIN LATERAL (
    SELECT * FROM suppression_changes WHERE account_id = $1 AND ${hasId('line.change_id')}
  ) AS change
  ORDER BY line.number`,
);

interface StateRow {
  email: EmailAddress;
  id: string;
  cause: Cause;
  weakerCauses: number;
  emailId: string | null;
  expiresAt: Date | null;
  isWithdrawn: boolean;
}

const FIND_STATES = new PreparedStatement<StateRow>(
  'find-states-for-revert-of-lift',
  `SELECT
    record.email,
    record.id,
    record.cause,
    record.weaker_causes AS "weakerCauses",
    record.email_id AS "emailId",
    record.expires_at AS "expiresAt",
    (
      SELECT true
      FROM suppression_changes AS later
      WHERE later.account_id = $1
        AND later.email = record.email
        AND (later.action = 'removed' OR later.action = 'cause_removed' AND later.cause = $4)
        AND later.revision > (
          SELECT lifted.revision
          FROM suppression_changes AS lifted
          WHERE lifted.account_id = $1 AND lifted.email = record.email AND lifted.evidence ->> 'lift' = $3
          ORDER BY lifted.revision DESC
          LIMIT 1
        )
      ORDER BY later.revision
      LIMIT 1
    ) IS TRUE AS "isWithdrawn"
  FROM unnest($2::text[] COLLATE "C") AS wanted (email)
  CROSS JOIN LATERAL (
    SELECT email, id, cause, weaker_causes, email_id, expires_at
    FROM suppressions
    WHERE account_id = $1 AND email = wanted.email
    LIMIT 1
  ) AS record`,
);

/** What the revert of a lift reads. */
@Injectable()
export class AppliedLinesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** @param after - the number of a line */
  page(accountId: number, liftId: string, after: number): Promise<AppliedLine[]> {
    return PAGE.run(this.dataSource, [accountId, liftId, after]);
  }

  /** The states of reserved addresses. */
  async findStates(
    accountId: number,
    { id, cause }: Pick<FoundLift, 'id' | 'cause'>,
    emails: EmailAddress[],
    transaction: EntityManager,
  ): Promise<Map<EmailAddress, AddressNow>> {
    const rows = await FIND_STATES.run(transaction, [accountId, emails, id, cause]);
    return new Map(
      rows.map(({ email, isWithdrawn, weakerCauses, ...record }) => [
        email,
        { email, isWithdrawn, record: { ...record, weakerCauses: causesIn(weakerCauses) } },
      ]),
    );
  }
}
