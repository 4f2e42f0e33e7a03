import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { hideLength } from '../database/row-set.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { causesIn, type Cause } from '../ledger/cause.js';
import { LIVE_CAUSES } from '../suppressions/suppression.entity.js';

const LINES_AT_ONCE = 500;

/** A line that is not applied yet. */
export interface PlannedLine {
  number: number;
  email: EmailAddress;
  /** The last revision of the record when it was counted. */
  revision: string;
}

/** The record of an address now, locked. */
export interface LockedRecord {
  email: EmailAddress;
  causes: readonly Cause[];
  /** Its last revision. */
  revision: string;
  hasFailedAgain: boolean;
}

const PAGE = new PreparedStatement<PlannedLine>(
  'list-planned-lift-lines',
  `SELECT number, email, revision
  FROM lift_lines
  WHERE account_id = $1 AND lift_id = $2 AND number > $3 AND status = 'planned'
  ORDER BY number
  LIMIT ${LINES_AT_ONCE}`,
);

const LOCK = new PreparedStatement<{ email: EmailAddress; causes: number }>(
  'lock-records-for-lift',
  `SELECT email, ${LIVE_CAUSES} AS causes
  FROM suppressions
  WHERE account_id = $1 AND email = ANY (${hideLength('$2', 'text')})
  ORDER BY email
  FOR UPDATE`,
);

/** A later statement than the lock, so that it sees what was committed before the lock was granted. */
const FIND_STATES = new PreparedStatement<Omit<LockedRecord, 'causes'>>(
  'find-states-for-lift',
  `SELECT
    locked.email,
    last.revision,
    (
      SELECT true
      FROM delivery_events AS report
      WHERE report.account_id = $1
        AND report.recipient = locked.email
        AND report.effect = 'suppress'
        AND report.kind = 'bounce'
        AND coalesce(report.occurred_at, report.received_at) > $3
      LIMIT 1
    ) IS TRUE AS "hasFailedAgain"
  FROM unnest($2::text[] COLLATE "C") AS locked (email)
  CROSS JOIN LATERAL (
    SELECT revision
    FROM suppression_changes
    WHERE account_id = $1 AND email = locked.email AND topic_id IS NULL
    ORDER BY revision DESC
    LIMIT 1
  ) AS last`,
);

/** What the application of a lift reads. */
@Injectable()
export class PlannedLinesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** @param after - the number of a line */
  page(accountId: number, liftId: string, after: number): Promise<PlannedLine[]> {
    return PAGE.run(this.dataSource, [accountId, liftId, after]);
  }

  /**
   * Locks the records of addresses until the transaction ends, in the order of the addresses.
   *
   * @param since - bounces after this time count as failures
   */
  async lock(
    accountId: number,
    emails: EmailAddress[],
    since: Date,
    transaction: EntityManager,
  ): Promise<Map<EmailAddress, LockedRecord>> {
    const records = await LOCK.run(transaction, [accountId, emails]);
    const causes = new Map(records.map((record) => [record.email, causesIn(record.causes)]));
    const states = await FIND_STATES.run(transaction, [accountId, [...causes.keys()], since]);
    return new Map(states.map((state) => [state.email, { ...state, causes: causes.get(state.email)! }]));
  }
}
