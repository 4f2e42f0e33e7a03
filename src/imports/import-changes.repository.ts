import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import type { Cause } from '../ledger/cause.js';
import { lowestIdAt } from '../suppressions/suppression-id.js';
import type { FoundImport } from './imports.repository.js';

const CHANGES_AT_ONCE = 500;
/** The clock of the database may have moved, as after a failover. */
const CLOCK_MS = 60 * 60 * 1000;

/** A line that an import wrote into the ledger. */
export interface ImportChange {
  id: string;
  email: EmailAddress;
  cause: Cause;
}

/** An address whose last change was made by an import. */
export interface TouchedAddress {
  email: EmailAddress;
  suppressionId: string;
  cause: Cause;
  emailId: string | null;
  /** What its record had before the import; null if there was none. */
  before: { cause: Cause; emailId: string | null } | null;
}

/** The ids of the ledger are in the order of time, so the lines of an import are within a range of the primary key. */
const PAGE = new PreparedStatement<ImportChange>(
  'list-import-changes',
  `SELECT id, email, cause
  FROM suppression_changes
  WHERE account_id = $1
    AND id > $2
    AND id < $3
    AND actor_type = 'import'
    AND actor_id = $4
    AND action IN ('added', 'strengthened')
  ORDER BY id
  LIMIT ${CHANGES_AT_ONCE}`,
);

const FIND_UNTOUCHED = new PreparedStatement<{
  email: EmailAddress;
  suppressionId: string;
  cause: Cause;
  emailId: string | null;
  causeBefore: Cause | null;
  emailIdBefore: string | null;
}>(
  'find-addresses-untouched-since-import',
  `SELECT
    asked.email,
    last.suppression_id AS "suppressionId",
    last.cause,
    last.email_id AS "emailId",
    before.cause AS "causeBefore",
    before.email_id AS "emailIdBefore"
  FROM unnest($3::text[] COLLATE "C") AS asked (email)
  CROSS JOIN LATERAL (
    SELECT action, actor_id, suppression_id, cause, email_id
    FROM suppression_changes
    WHERE account_id = $1 AND email = asked.email AND topic_id IS NULL
    ORDER BY revision DESC
    LIMIT 1
  ) AS last
  LEFT JOIN LATERAL (
    SELECT action, cause, email_id
    FROM suppression_changes
    WHERE account_id = $1 AND email = asked.email AND topic_id IS NULL AND actor_id IS DISTINCT FROM $2
    ORDER BY revision DESC
    LIMIT 1
  ) AS before ON before.action <> 'removed'
  WHERE last.actor_id = $2 AND last.action IN ('added', 'strengthened')`,
);

@Injectable()
export class ImportChangesRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Where in the ledger the lines of an import are: behind a position and before an end. */
  async range({ startedAt }: FoundImport): Promise<{ position: string; end: string }> {
    const [{ end }] = (await this.dataSource.query('SELECT uuid_v7() AS "end"')) as [{ end: string }];
    return { position: lowestIdAt(startedAt!.getTime() - CLOCK_MS), end };
  }

  /** The next changes that an import made, in their order. */
  page(accountId: number, importId: string, position: string, end: string): Promise<ImportChange[]> {
    return PAGE.run(this.dataSource, [accountId, position, end, importId]);
  }

  /** Of some addresses, those whose last change is the import's. */
  async findUntouched(
    accountId: number,
    importId: string,
    emails: EmailAddress[],
    transaction: EntityManager,
  ): Promise<TouchedAddress[]> {
    const rows = await FIND_UNTOUCHED.run(transaction, [accountId, importId, emails]);
    return rows.map(({ causeBefore, emailIdBefore, ...address }) => ({
      ...address,
      before: causeBefore && { cause: causeBefore, emailId: emailIdBefore },
    }));
  }
}
