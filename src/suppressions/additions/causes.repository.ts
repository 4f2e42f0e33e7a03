import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import {
  delimitRows,
  delimitValues,
  hideLength,
  undelimitRows,
  undelimitValues,
  type DelimitedRows,
} from '../../database/delimited-rows.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { maskOf, type Cause } from '../../ledger/cause.js';
import { IS_LIVE, LIVE_CAUSES, liveCauses, type NamedSuppression } from '../suppression.entity.js';
import type { Presence } from './addition.js';

/** A record that has the causes it was asked for. */
export interface PresentSuppression extends NamedSuppression {
  importId: string | null;
}

/** One of the causes of a record, as the ledger has it. */
export interface KnownCause {
  cause: Cause;
  emailId: string | null;
  since: Date;
  /** When it ends; null if never. */
  expiresAt: Date | null;
  note: string | null;
}

/** When a bounce and a manual entry end, in milliseconds since 1970; empty if never. */
const ENDS_AT = `coalesce((extract(epoch FROM expires_at) * 1000)::text, '')`;
const CAUSES_COLUMNS = ['id', 'email', LIVE_CAUSES, ENDS_AT, `coalesce(import_id::text, '')`];

const FIND_CAUSES_OF_EMAILS = new PreparedStatement<DelimitedRows>(
  'find-causes-of-emails',
  `SELECT ${delimitRows(CAUSES_COLUMNS)}
  FROM suppressions
  WHERE account_id = $1 AND email = ANY (${hideLength(undelimitValues('$2'), 'text')}) AND ${IS_LIVE}`,
);

const FIND_CAUSES = new PreparedStatement<KnownCause>(
  'find-causes-of-suppression',
  `SELECT
    one.cause,
    line.email_id AS "emailId",
    CASE line.action
      WHEN 'added' THEN record.created_at
      ELSE coalesce(line.occurred_at, line.created_at, record.created_at)
    END AS since,
    CASE WHEN one.cause < 'unsubscribe' THEN record.expires_at END AS "expiresAt",
    line.note
  FROM suppressions AS record
  JOIN unnest(enum_range(NULL::suppression_cause)) AS one (cause)
    ON ${liveCauses('record.weaker_causes | cause_bit(record.cause)')} & cause_bit(one.cause) <> 0
  LEFT JOIN LATERAL (
    SELECT action, email_id, occurred_at, created_at, note
    FROM suppression_changes
    WHERE account_id = $1
      AND email = record.email
      AND suppression_id = record.id
      AND cause = one.cause
      AND action IN ('added', 'strengthened', 'cause_added')
    ORDER BY revision DESC
    LIMIT 1
  ) AS line ON true
  WHERE record.account_id = $1 AND record.email = $2
  ORDER BY one.cause DESC`,
);

/** Reads the causes of records. */
@Injectable()
export class CausesRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * The records that have what is wanted.
   *
   * @param wanted - by address
   */
  async findPresent(
    accountId: number,
    wanted: Map<EmailAddress, Presence>,
    on: DataSource | EntityManager = this.dataSource,
  ): Promise<PresentSuppression[]> {
    const rows = await FIND_CAUSES_OF_EMAILS.run(on, [accountId, delimitValues([...wanted.keys()])]);
    const records = undelimitRows(rows, CAUSES_COLUMNS, (values, first) => ({
      id: values[first]!,
      email: values[first + 1] as EmailAddress,
      causes: Number(values[first + 2]),
      endsAt: Number(values[first + 3] || Infinity),
      importId: values[first + 4] || null,
    }));
    return records.filter((record) => satisfies(record, wanted.get(record.email)!));
  }

  /** All causes of a record, the strongest first. */
  findAll(accountId: number, email: EmailAddress): Promise<KnownCause[]> {
    return FIND_CAUSES.run(this.dataSource, [accountId, email]);
  }
}

function satisfies(record: { causes: number; endsAt: number }, { causes, lastsUntil }: Presence): boolean {
  const end = lastsUntil === undefined ? -Infinity : (lastsUntil?.getTime() ?? Infinity);
  return (maskOf(causes) & ~record.causes) === 0 && record.endsAt >= end;
}
