import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { RowSet } from '../../database/rows.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { renameIn, StoredNames, type Pseudonymized } from '../../pseudonyms/stored-names.js';
import type { ListedEntry } from './to-entry.js';

const ENTRIES = new RowSet(3, {
  email: 'text',
  list: 'text',
  address: 'text',
  cause: 'suppression_cause',
  listedAt: 'timestamptz',
  latestAt: 'timestamptz',
  note: 'text',
  problem: 'text',
});

/** If an address has several entries, the latest one with the strongest cause is stored. */
const INSERT = new PreparedStatement<never>(
  'insert-provider-list-entries',
  `INSERT INTO provider_list_entries AS known (account_id, plan_id, ${ENTRIES.names})
  SELECT DISTINCT ON (email, list, address) $1::integer, $2::uuid, ${ENTRIES.names}
  FROM ${ENTRIES.as('entry')}
  ORDER BY email, list, address, cause DESC NULLS LAST, latest_at DESC NULLS LAST
  ON CONFLICT (account_id, plan_id, email, list, address) DO UPDATE
  SET
    cause = excluded.cause,
    listed_at = excluded.listed_at,
    latest_at = excluded.latest_at,
    note = excluded.note,
    problem = excluded.problem
  WHERE excluded.cause IS NOT NULL
    AND (
      known.cause IS NULL
      OR (known.cause, coalesce(known.latest_at, '-infinity')) < (excluded.cause, coalesce(excluded.latest_at, '-infinity'))
    )`,
);

const COUNT = new PreparedStatement<{ entries: number }>(
  'count-provider-list-entries',
  `SELECT count(*)::integer AS entries
  FROM provider_list_entries
  WHERE account_id = $1 AND plan_id = $2 AND NOT is_gone`,
);

@Injectable()
export class EntriesRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly storedNames: StoredNames,
  ) {}

  /** Stores entries. An erased address whose block is kept is stored under its pseudonym. */
  async insert(
    accountId: number,
    planId: string,
    entries: ListedEntry[],
    on: DataSource | EntityManager = this.dataSource,
  ): Promise<void> {
    if (entries.length > 0) {
      const emails = entries.map(({ email }) => email as EmailAddress);
      const pseudonyms = await this.storedNames.forWriting(accountId, emails);
      const stored = entries.map((entry) => renameEntry(entry, pseudonyms));
      await INSERT.run(on, [accountId, planId, ...ENTRIES.values(stored)]);
    }
  }

  async count(accountId: number, planId: string, transaction: EntityManager): Promise<number> {
    return (await COUNT.run(transaction, [accountId, planId]))[0]!.entries;
  }
}

function renameEntry(entry: ListedEntry, pseudonyms: Pseudonymized): ListedEntry {
  const pseudonym = pseudonyms.get(entry.email as EmailAddress);
  return pseudonym
    ? { ...entry, email: pseudonym, address: pseudonym, note: renameIn(entry.note, pseudonyms) }
    : entry;
}
