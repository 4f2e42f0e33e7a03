import { Injectable } from '@nestjs/common';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { DelimitedRows } from '../database/delimited-rows.js';
import { ReadReplica } from '../database/read-replica.js';
import { DELIMITED_SUPPRESSIONS, parseSuppressions, type FoundSuppression } from './suppression-lookup.js';
import { IS_LIVE } from './suppression.entity.js';

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
