import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { Cause } from '../../ledger/cause.js';
import { isNotOfIncident } from '../../ledger/evidence.js';
import { liveCauses } from '../suppression.entity.js';

export interface CauseDetails {
  cause: Cause;
  emailId: string | null;
  /** When it happened, as far as that was reported; otherwise when it was recorded. */
  since: Date;
  recordedAt: Date;
  /** When it expires; null if never. */
  expiresAt: Date | null;
  note: string | null;
}

const FIND_CAUSES = new PreparedStatement<CauseDetails>(
  'find-causes-of-suppression',
  `SELECT
    listed.cause,
    line.email_id AS "emailId",
    least(
      CASE line.action
        WHEN 'added' THEN coalesce(line.occurred_at, record.created_at)
        ELSE coalesce(line.occurred_at, line.created_at, record.created_at)
      END,
      line.created_at
    ) AS since,
    coalesce(line.created_at, record.created_at) AS "recordedAt",
    CASE WHEN listed.cause < 'unsubscribe' THEN record.expires_at END AS "expiresAt",
    line.note
  FROM suppressions AS record
  JOIN unnest(enum_range(NULL::suppression_cause)) AS listed (cause)
    ON ${liveCauses('record.weaker_causes | cause_bit(record.cause)')} & cause_bit(listed.cause) <> 0
  LEFT JOIN LATERAL (
    SELECT action, email_id, occurred_at, created_at, note
    FROM suppression_changes AS added
    WHERE account_id = $1
      AND email = record.email
      AND suppression_id = record.id
      AND cause = listed.cause
      AND action IN ('added', 'strengthened', 'cause_added')
      AND ${isNotOfIncident('added')}
    ORDER BY revision DESC
    LIMIT 1
  ) AS line ON true
  WHERE record.account_id = $1 AND record.email = $2
  ORDER BY listed.cause DESC`,
);

@Injectable()
export class CausesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** All causes of a record, the strongest first. */
  findAll(accountId: number, email: EmailAddress): Promise<CauseDetails[]> {
    return FIND_CAUSES.run(this.dataSource, [accountId, email]);
  }
}
