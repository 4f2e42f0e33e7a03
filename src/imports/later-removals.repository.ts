import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { delimited, RowSet } from '../database/row-set.js';
import { renameRows, type Pseudonymised } from '../pseudonyms/stored-names.js';
import type { ReportedCause } from './read-chunk.js';

const REPORTED = new RowSet(3, {
  email: delimited('text'),
  latestAt: delimited('timestamptz'),
  cause: delimited('suppression_cause'),
});

const FIND = new PreparedStatement<{ index: number }>(
  'find-withdrawn-since',
  `SELECT (reported.number - 1)::integer AS index
  FROM ${REPORTED.as('reported', { isNumbered: true })}
  CROSS JOIN LATERAL (
    SELECT
    FROM withdrawals
    WHERE account_id = $1
      AND email = reported.email
      AND subject = coalesce($2, reported.cause::text)
      AND withdrawn_at > reported.latest_at
    LIMIT 1
  ) AS withdrawn`,
);

/** What entries are about. */
interface Scope {
  accountId: number;
  /** Null for causes, which were lifted; otherwise the entries are opt-outs of the topic, after which the recipient opted in. */
  topicId: string | null;
  /** The names that erased addresses have. */
  pseudonyms: Pseudonymised;
}

@Injectable()
export class LaterRemovalsRepository {
  /** Finds what was withdrawn after it happened. */
  async find(
    { accountId, topicId, pseudonyms }: Scope,
    reported: ReportedCause[],
    transaction: EntityManager,
  ): Promise<ReportedCause[]> {
    const stored = renameRows(reported, pseudonyms);
    const rows = await FIND.run(transaction, [accountId, topicId, ...REPORTED.values(stored)]);
    return rows.map(({ index }) => reported[index]!);
  }
}
