import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { RowSet } from '../../database/rows.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { renameIn, StoredNames, type Pseudonymized } from '../../pseudonyms/stored-names.js';
import { ProviderListEntry } from '../plans/provider-list-line.entity.js';
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

/** Enough entries of a plan to recognize its list. */
const MAX_EXAMINED = 1_000;

export interface FoundAgain {
  known: number;
  found: number;
}

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

const COUNT_FOUND_AGAIN = new PreparedStatement<FoundAgain>(
  'count-provider-list-entries-found-again',
  `SELECT count(*)::integer AS known, count(*) FILTER (WHERE is_found)::integer AS found
  FROM (
    SELECT EXISTS (
      SELECT
      FROM provider_list_entries AS present
      WHERE present.account_id = $1
        AND present.plan_id = $3
        AND present.email = known.email
        AND present.list = known.list
        AND NOT present.is_gone
    ) AS is_found
    FROM provider_list_entries AS known
    WHERE account_id = $1 AND plan_id = $2 AND NOT is_gone
    ORDER BY email, list, address
    LIMIT ${MAX_EXAMINED}
  ) AS entry`,
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

  count(accountId: number, planId: string, transaction: EntityManager): Promise<number> {
    return transaction.countBy(ProviderListEntry, { accountId, planId, isGone: false });
  }

  /** How many of some entries that an earlier plan read are among those of a later plan. */
  async countFoundAgain(
    accountId: number,
    earlierPlanId: string,
    planId: string,
    transaction: EntityManager,
  ): Promise<FoundAgain> {
    return (await COUNT_FOUND_AGAIN.run(transaction, [accountId, earlierPlanId, planId]))[0]!;
  }
}

function renameEntry(entry: ListedEntry, pseudonyms: Pseudonymized): ListedEntry {
  const pseudonym = pseudonyms.get(entry.email as EmailAddress);
  return pseudonym
    ? { ...entry, email: pseudonym, address: pseudonym, note: renameIn(entry.note, pseudonyms) }
    : entry;
}
