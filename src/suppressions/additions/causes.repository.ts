import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import {
  delimitRows,
  delimitValues,
  undelimitRows,
  undelimitValues,
  type DelimitedRows,
} from '../../database/delimited-rows.js';
import { hideLength } from '../../database/row-set.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { canExpire, maskOf, type Cause } from '../../ledger/cause.js';
import { isNotOfIncident } from '../../ledger/evidence.js';
import { IS_LIVE, LIVE_CAUSES, liveCauses, type NamedSuppression } from '../suppression.entity.js';
import type { Addition } from './additions.repository.js';

/** What a record must have so that an addition would not change it. */
export interface Presence {
  /** Without causes, any record suffices. */
  causes: readonly Cause[];
  /** How long a bounce or a manual entry must last, or null if it must not expire; absent if any expiry will do. */
  lastsUntil?: Date | null;
}

/** What a record must have so that this addition would not change it. */
export function presenceOf({ cause, expiresAt }: Addition): Presence {
  return { causes: [cause], ...(canExpire(cause) && { lastsUntil: expiresAt }) };
}

export interface PresentSuppression extends NamedSuppression {
  importId: string | null;
}

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

/** When bounces and manual entries expire, in milliseconds since 1970; empty if never. */
const ENDS_AT = `coalesce((extract(epoch FROM expires_at) * 1000)::text, '')`;
const CAUSES_COLUMNS = ['id', 'email', LIVE_CAUSES, ENDS_AT, `coalesce(import_id::text, '')`];

const FIND_CAUSES_OF_EMAILS = new PreparedStatement<DelimitedRows>(
  'find-causes-of-emails',
  `SELECT ${delimitRows(CAUSES_COLUMNS)}
  FROM suppressions
  WHERE account_id = $1 AND email = ANY (${hideLength(undelimitValues('$2'), 'text')}) AND ${IS_LIVE}`,
);

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

  /**
   * Finds the records that have the required causes.
   *
   * @param required - keyed by address
   */
  async findPresent(
    accountId: number,
    required: Map<EmailAddress, Presence>,
    on: DataSource | EntityManager = this.dataSource,
  ): Promise<PresentSuppression[]> {
    const rows = await FIND_CAUSES_OF_EMAILS.run(on, [accountId, delimitValues([...required.keys()])]);
    const records = undelimitRows(rows, CAUSES_COLUMNS, (values, first) => ({
      id: values[first]!,
      email: values[first + 1] as EmailAddress,
      causes: Number(values[first + 2]),
      endsAt: Number(values[first + 3] || Infinity),
      importId: values[first + 4] || null,
    }));
    return records.filter((record) => satisfies(record, required.get(record.email)!));
  }

  /** All causes of a record, the strongest first. */
  findAll(accountId: number, email: EmailAddress): Promise<CauseDetails[]> {
    return FIND_CAUSES.run(this.dataSource, [accountId, email]);
  }
}

function satisfies(record: { causes: number; endsAt: number }, { causes, lastsUntil }: Presence): boolean {
  const end = lastsUntil === undefined ? -Infinity : (lastsUntil?.getTime() ?? Infinity);
  return (maskOf(causes) & ~record.causes) === 0 && record.endsAt >= end;
}
