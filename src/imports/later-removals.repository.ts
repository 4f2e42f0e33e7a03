import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { undelimitValues, delimitValues } from '../database/delimited-rows.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { ReportedCause } from './read-chunk.js';

const FIND = new PreparedStatement<{ index: number }>(
  'find-withdrawn-since',
  `SELECT (reported.number - 1)::integer AS index
  FROM unnest(
    ${undelimitValues('$2')} COLLATE "C", ${undelimitValues('$3')}::timestamptz[], ${undelimitValues('$4')} COLLATE "C"
  ) WITH ORDINALITY AS reported (email, latest_at, cause, number)
  CROSS JOIN LATERAL (
    SELECT
    FROM withdrawals
    WHERE account_id = $1
      AND email = reported.email
      AND subject = coalesce($5, reported.cause)
      AND withdrawn_at > reported.latest_at
    LIMIT 1
  ) AS withdrawn`,
);

@Injectable()
export class LaterRemovalsRepository {
  /**
   * Finds what was withdrawn after it happened.
   *
   * @param topicId - null for causes, which were lifted; otherwise these are opt-outs of the topic, after which the recipient
   *   opted in
   */
  async find(
    accountId: number,
    topicId: string | null,
    reported: ReportedCause[],
    transaction: EntityManager,
  ): Promise<ReportedCause[]> {
    const rows = await FIND.run(transaction, [
      accountId,
      delimitValues(reported.map(({ email }) => email)),
      delimitValues(reported.map(({ latestAt }) => latestAt)),
      delimitValues(reported.map(({ cause }) => cause)),
      topicId,
    ]);
    return rows.map(({ index }) => reported[index]!);
  }
}
