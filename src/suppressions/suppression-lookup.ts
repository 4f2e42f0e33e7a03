import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { BatchedReads, type BatchOptions } from '../database/batched-reads.js';
import { LOOKUPS } from '../database/database.module.js';
import {
  delimitRows,
  delimitValues,
  undelimitRows,
  undelimitValues,
  type DelimitedRows,
} from '../database/rows.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { ReadReplica } from '../database/read-replica.js';
import type { EmailAddress } from '../email-address/email-address.js';
import type { Cause } from '../ledger/cause.js';
import { isNotOfIncident } from '../ledger/evidence.js';
import { createdAtOf } from './suppression-id.js';
import type { SuppressionRef } from './suppression-ref.js';
import { IS_LIVE, liveCauses, type Suppression } from './suppression.entity.js';

/**
 * A record as it is read. Its creation time is taken from its id, because formatting it would take PostgreSQL a seventh of the
 * time for a page.
 */
export type FoundSuppression = Pick<Suppression, 'id' | 'email' | 'cause' | 'emailId'>;

export const SUPPRESSION_COLUMNS = ['id', 'email', 'cause', `coalesce(email_id::text, '')`];

/** SQL for the rows that {@link parseSuppressions} reads. */
export const DELIMITED_SUPPRESSIONS = delimitRows(SUPPRESSION_COLUMNS);

export function parseSuppressions(rows: DelimitedRows[]): FoundSuppression[] {
  return undelimitRows(rows, SUPPRESSION_COLUMNS, toFoundSuppression);
}

export function toFoundSuppression(values: string[], first: number): FoundSuppression {
  return {
    id: values[first]!,
    email: values[first + 1] as EmailAddress,
    cause: values[first + 2] as Cause,
    emailId: values[first + 3] || null,
  };
}

const FIND_BY_EMAILS = new PreparedStatement<DelimitedRows>(
  'find-suppressions-by-emails',
  `SELECT ${DELIMITED_SUPPRESSIONS} FROM suppressions WHERE account_id = $1 AND email = ANY (${undelimitValues('$2')}) AND ${IS_LIVE}`,
);

const FIND_BY_IDS = new PreparedStatement<DelimitedRows>(
  'find-suppressions-by-ids',
  `SELECT ${DELIMITED_SUPPRESSIONS} FROM suppressions WHERE account_id = $1 AND created_at = ANY ($3) AND id = ANY ($2) AND ${IS_LIVE}`,
);

const BATCHES: BatchOptions<number> = { keyOf: (accountId) => accountId, maxBatch: 100, maxRunning: 4 };

/** Finds records. Simultaneous lookups of an account are batched into one statement. No lookup waits for another account. */
@Injectable()
export class SuppressionLookup {
  private readonly byEmail: BatchedReads<number, EmailAddress, FoundSuppression | null>;
  private readonly byId: BatchedReads<number, string, FoundSuppression | null>;

  constructor(@InjectDataSource(LOOKUPS) lookupSource: DataSource) {
    this.byEmail = new BatchedReads(BATCHES, async (accountId, emails) => {
      const found = await FIND_BY_EMAILS.run(lookupSource, [accountId, delimitValues(emails)]);
      return inOrderOf(emails, found, ({ email }) => email);
    });
    this.byId = new BatchedReads(BATCHES, async (accountId, ids) => {
      const found = await FIND_BY_IDS.run(lookupSource, [accountId, ids, ids.map(createdAtOf)]);
      return inOrderOf(ids, found, ({ id }) => id);
    });
  }

  find(accountId: number, ref: SuppressionRef): Promise<FoundSuppression | null> {
    return 'email' in ref ? this.byEmail.read(accountId, ref.email) : this.byId.read(accountId, ref.id);
  }
}

function inOrderOf<Key>(
  keys: Key[],
  found: DelimitedRows[],
  keyOf: (suppression: FoundSuppression) => Key,
): (FoundSuppression | null)[] {
  const byKey = new Map(parseSuppressions(found).map((suppression) => [keyOf(suppression), suppression]));
  return keys.map((key) => byKey.get(key) ?? null);
}

/** The collation of addresses is "C", so the addresses with a prefix are a range of the primary key. */
const FIND_BY_PREFIX = new PreparedStatement<DelimitedRows>(
  'find-suppressions-by-prefix',
  `SELECT ${DELIMITED_SUPPRESSIONS}
  FROM (
    SELECT *
    FROM suppressions
    WHERE account_id = $1 AND email >= $2 AND email < $3 AND ${IS_LIVE}
    ORDER BY email
    LIMIT $4
  ) AS record`,
);
const HIGHEST_CHARACTER = '\u{10FFFF}';

/** Finds records by the beginning of their address. */
@Injectable()
export class PrefixSearch {
  constructor(private readonly replica: ReadReplica) {}

  /**
   * @param prefix - the beginning of a normal form
   * @returns the first records, in the order of their addresses
   */
  async find(accountId: number, prefix: string, limit: number): Promise<FoundSuppression[]> {
    const values = [accountId, prefix, `${prefix}${HIGHEST_CHARACTER}`, limit];
    return parseSuppressions(await this.replica.read((dataSource) => FIND_BY_PREFIX.run(dataSource, values)));
  }
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

const LOCK_RECORD = new PreparedStatement<Record<string, never>>(
  'lock-suppression',
  'SELECT FROM suppressions WHERE account_id = $1 AND email = $2 FOR UPDATE',
);

@Injectable()
export class CausesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** All causes of a record, the strongest first. */
  findAll(accountId: number, email: EmailAddress): Promise<CauseDetails[]> {
    return FIND_CAUSES.run(this.dataSource, [accountId, email]);
  }

  /** Like {@link findAll}. Nobody else changes the record until the transaction ends. */
  async lockAll(accountId: number, email: EmailAddress, transaction: EntityManager): Promise<CauseDetails[]> {
    await LOCK_RECORD.run(transaction, [accountId, email]);
    return FIND_CAUSES.run(transaction, [accountId, email]);
  }
}
