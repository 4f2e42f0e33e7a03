import type { DataSource } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { ValidationError } from '../http/errors/errors.js';
import { toPage, type Page } from '../http/page.js';
import type { StoredNames } from '../pseudonyms/stored-names.js';
import { UNKNOWN_CURSOR, type RowKey } from './row-key.js';

interface KeyedTable {
  name: string;
  /** The column with the id of the plan or of the list. */
  owner: string;
  /** The column with the group. */
  group: string;
  groups: readonly string[];
  /** The condition of an index in the order of the pages. */
  condition?: string;
  /** The columns to select, besides those of an entry. */
  columns: string;
}

interface Rows {
  /** The id of the plan or of the list. */
  owner: string;
  group: string | undefined;
}

export interface KeyedQuery {
  email?: EmailAddress | undefined;
  after?: RowKey | undefined;
  limit: number;
}

/** Reads the lines of plans, or pushes, in pages that are sorted by group and address. */
export class KeyedPages<Row extends object> {
  private readonly all: PreparedStatement<Row>;
  /** Finds all rows of an address by their key, and then sorts them, because they are few. */
  private readonly ofAddress: PreparedStatement<Row>;
  private readonly lastGroup: string;

  constructor({ name, owner, group, groups, condition = 'true', columns }: KeyedTable) {
    /** Parameters 3 to 6: the key to begin after. Parameter 7: the last group in the order. */
    const page = (rows: string) =>
      `SELECT email, list, address, ${columns}
      FROM ${rows}
      WHERE account_id = $1
        AND ${owner} = $2
        AND ${condition}
        AND (${group}, email, list, address) > ($3, $4, $5, $6)
        AND ${group} <= $7
      ORDER BY ${group}, email, list, address
      LIMIT $8`;
    const rowsOfAddress = `(
        SELECT row.*
        FROM unnest(ARRAY[${groups.map((one) => `'${one}'`).join()}]) AS one (name)
        CROSS JOIN unnest($9::text[]) AS stored (name)
        CROSS JOIN LATERAL (
          SELECT *
          FROM ${name}
          WHERE account_id = $1 AND ${owner} = $2 AND ${group} = one.name AND email = stored.name
          OFFSET 0
        ) AS row
      ) AS row`;
    const statement = `page-${name.replaceAll('_', '-')}`;
    this.all = new PreparedStatement(statement, page(name));
    this.ofAddress = new PreparedStatement(`${statement}-of-address`, page(rowsOfAddress));
    this.lastGroup = groups.toSorted().at(-1)!;
  }

  /** @throws {KeptBlocksUnreadableError | ValidationError} */
  async read(
    dataSource: DataSource,
    storedNames: StoredNames,
    accountId: number,
    { owner, group }: Rows,
    { email, after, limit }: KeyedQuery,
  ): Promise<Page<Row>> {
    if (group && after && after[0] !== group) {
      throw ValidationError.ofField('after', UNKNOWN_CURSOR);
    }
    const from = after ?? [group ?? '', '', '', ''];
    const values = [accountId, owner, ...from, group ?? this.lastGroup, limit + 1];
    const rows = email
      ? await this.ofAddress.run(dataSource, [...values, await storedNames.namesOf(accountId, email)])
      : await this.all.run(dataSource, values);
    return toPage(rows, limit);
  }
}
