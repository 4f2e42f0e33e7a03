import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { hideLength } from '../database/delimited-rows.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import type { Cause } from '../ledger/cause.js';
import { lowestIdAt } from '../suppressions/suppression-id.js';
import type { FoundImport } from './imports.repository.js';

const LINES_AT_ONCE = 5_000;
const CHANGES_AT_ONCE = 500;
/** The clock of the database may have changed, as after a failover. */
const MAX_CLOCK_SKEW_MS = 60 * 60 * 1000;

/** A ledger line that an import wrote. */
export interface ImportChange {
  id: string;
  email: EmailAddress;
  /** Null if it is an opt-out of a topic. */
  cause: Cause | null;
}

/** The range of the ledger that holds the lines of an import: after `position` and before `end`. */
export function rangeOf({ startedAt }: FoundImport, endedAt: Date): { position: string; end: string } {
  return {
    position: lowestIdAt(startedAt!.getTime() - MAX_CLOCK_SKEW_MS),
    end: lowestIdAt(endedAt.getTime() + MAX_CLOCK_SKEW_MS),
  };
}

/** An address that nobody has changed or confirmed since an import. */
export interface UntouchedAddress {
  email: EmailAddress;
  /** The causes that the import added, without those whose expiry it only changed. */
  causes: Cause[];
}

export interface LedgerPage {
  /** The lines that the import wrote. */
  changes: ImportChange[];
  position: string;
}

/**
 * The ids of the ledger are in the order of time, so the lines of an import are within a range of the primary key. However
 * many lines of others lie between them, the statement reads some at a time. The last row is the last line that it read.
 */
const PAGE = new PreparedStatement<ImportChange & { isOwn: boolean }>(
  'list-import-changes',
  `WITH line AS (
    SELECT id, email, cause, actor_type, actor_id, action
    FROM suppression_changes
    WHERE account_id = $1 AND id > $2 AND id < $3
    ORDER BY id
    LIMIT ${LINES_AT_ONCE}
  ),
  own AS (
    SELECT id, email, cause
    FROM line
    WHERE actor_type = 'import' AND actor_id = $4 AND action IN ('added', 'strengthened', 'cause_added', 'opted_out')
    ORDER BY id
    LIMIT ${CHANGES_AT_ONCE}
  )
  SELECT id, email, cause, true AS "isOwn" FROM own
  UNION ALL
  (SELECT id, email, cause, false FROM line ORDER BY id DESC LIMIT 1)`,
);

const FIND_UNTOUCHED = new PreparedStatement<UntouchedAddress>(
  'find-addresses-untouched-since-import',
  `SELECT record.email, imported.causes
  FROM suppressions AS record
  CROSS JOIN LATERAL (
    SELECT array_agg(DISTINCT cause::text) AS causes
    FROM suppression_changes AS line
    WHERE account_id = $1
      AND email = record.email
      AND suppression_id = record.id
      AND actor_id = $2
      AND action IN ('added', 'strengthened', 'cause_added')
      AND NOT coalesce((
        SELECT earlier.action IN ('added', 'strengthened', 'cause_added')
        FROM suppression_changes AS earlier
        WHERE earlier.account_id = $1
          AND earlier.email = record.email
          AND earlier.suppression_id = record.id
          AND earlier.cause = line.cause
          AND earlier.actor_id IS DISTINCT FROM $2
          AND earlier.revision < line.revision
        ORDER BY earlier.revision DESC
        LIMIT 1
      ), false)
  ) AS imported
  WHERE record.account_id = $1
    AND record.email = ANY (${hideLength('$3', 'text')})
    AND record.import_id = $2
    AND imported.causes IS NOT NULL`,
);

@Injectable()
export class ImportChangesRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The next changes that an import made. Null if there are no more lines before `end`. */
  async page(accountId: number, importId: string, position: string, end: string): Promise<LedgerPage | null> {
    const rows = await PAGE.run(this.dataSource, [accountId, position, end, importId]);
    const changes = rows.filter(({ isOwn }) => isOwn);
    const last = changes.length === CHANGES_AT_ONCE ? changes.at(-1) : rows.at(-1);
    return last ? { changes, position: last.id } : null;
  }

  findUntouched(
    accountId: number,
    importId: string,
    emails: EmailAddress[],
    transaction: EntityManager,
  ): Promise<UntouchedAddress[]> {
    return FIND_UNTOUCHED.run(transaction, [accountId, importId, emails]);
  }
}
