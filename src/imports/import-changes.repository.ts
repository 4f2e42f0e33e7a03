import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { hideLength } from '../database/row-set.js';
import type { EmailAddress } from '../email-address/email-address.js';
import type { Cause } from '../ledger/cause.js';
import { LedgerScan, type LedgerRange, type ScannedLines } from '../ledger/suppression-changes.repository.js';

const CHANGES_AT_ONCE = 500;

/** A ledger line that an import wrote. */
export interface ImportChange {
  id: string;
  email: EmailAddress;
  /** Null if it is an opt-out of a topic. */
  cause: Cause | null;
}

/** An address that nobody has changed or confirmed since an import. */
export interface UntouchedAddress {
  email: EmailAddress;
  /** The causes that the import added, without those whose expiry it only changed. */
  causes: Cause[];
}

/** The lines that an import wrote. */
const SCAN = new LedgerScan<ImportChange>(
  'list-import-changes',
  'id, email, cause',
  `actor_type = 'import' AND actor_id = $4 AND action IN ('added', 'strengthened', 'cause_added', 'opted_out')`,
  CHANGES_AT_ONCE,
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
  constructor(private readonly dataSource: DataSource) {}

  /** The next changes that an import made. Null if the range has no more lines. */
  next(accountId: number, importId: string, range: LedgerRange): Promise<ScannedLines<ImportChange> | null> {
    return SCAN.next(this.dataSource, accountId, range, [importId]);
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
