import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { RowSet } from '../../database/row-set.js';
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

/** An entry that two pages have is stored once. */
const INSERT = new PreparedStatement<never>(
  'insert-provider-list-entries',
  `INSERT INTO provider_list_entries (account_id, plan_id, ${ENTRIES.names})
  SELECT $1, $2, ${ENTRIES.names}
  FROM ${ENTRIES.as('entry')}
  ON CONFLICT DO NOTHING`,
);

const COUNT = new PreparedStatement<{ entries: number }>(
  'count-provider-list-entries',
  `SELECT count(*)::integer AS entries
  FROM provider_list_entries
  WHERE account_id = $1 AND plan_id = $2 AND NOT is_gone`,
);

@Injectable()
export class EntriesRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  async insert(
    accountId: number,
    planId: string,
    entries: ListedEntry[],
    on: DataSource | EntityManager = this.dataSource,
  ): Promise<void> {
    if (entries.length > 0) {
      await INSERT.run(on, [accountId, planId, ...ENTRIES.values(entries)]);
    }
  }

  async count(accountId: number, planId: string, transaction: EntityManager): Promise<number> {
    return (await COUNT.run(transaction, [accountId, planId]))[0]!.entries;
  }
}
