import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { undelimitValues, delimitValues } from '../database/delimited-rows.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { isNotRevert } from '../ledger/evidence.js';
import { liftsCause } from '../ledger/lifts-cause.js';
import type { ReportedCause } from './read-chunk.js';

const FIND_LIFTED = new PreparedStatement<{ index: number }>(
  'find-causes-lifted-since',
  `SELECT (reported.number - 1)::integer AS index
  FROM unnest(
    ${undelimitValues('$2')} COLLATE "C", ${undelimitValues('$3')}::timestamptz[], ${undelimitValues('$4')}::suppression_cause[]
  ) WITH ORDINALITY AS reported (email, latest_at, cause, number)
  CROSS JOIN LATERAL (
    SELECT
    FROM suppression_changes AS removal
    WHERE removal.account_id = $1
      AND removal.email = reported.email
      AND coalesce(removal.occurred_at, removal.created_at) > reported.latest_at
      AND ${liftsCause('removal', 'reported.cause')}
    LIMIT 1
  ) AS lifted`,
);

const FIND_OPTED_IN = new PreparedStatement<{ index: number }>(
  'find-opt-ins-since',
  `SELECT (reported.number - 1)::integer AS index
  FROM unnest(${undelimitValues('$2')} COLLATE "C", ${undelimitValues('$3')}::timestamptz[])
    WITH ORDINALITY AS reported (email, latest_at, number)
  CROSS JOIN LATERAL (
    SELECT
    FROM suppression_changes AS choice
    WHERE choice.account_id = $1
      AND choice.email = reported.email
      AND choice.topic_id = $4
      AND choice.action = 'opted_in'
      AND coalesce(choice.occurred_at, choice.created_at) > reported.latest_at
      AND ${isNotRevert('choice')}
    LIMIT 1
  ) AS opted_in`,
);

@Injectable()
export class LaterRemovalsRepository {
  /** Returns the causes that were lifted after they occurred. */
  async findLifted(
    accountId: number,
    reported: ReportedCause[],
    transaction: EntityManager,
  ): Promise<ReportedCause[]> {
    const causes = delimitValues(reported.map(({ cause }) => cause));
    const rows = await FIND_LIFTED.run(transaction, [accountId, ...parameters(reported), causes]);
    return rows.map(({ index }) => reported[index]!);
  }

  /** Returns the opt-outs of a topic after which the recipient opted in. */
  async findOptedIn(
    accountId: number,
    topicId: string,
    reported: ReportedCause[],
    transaction: EntityManager,
  ): Promise<ReportedCause[]> {
    const rows = await FIND_OPTED_IN.run(transaction, [accountId, ...parameters(reported), topicId]);
    return rows.map(({ index }) => reported[index]!);
  }
}

function parameters(reported: ReportedCause[]): unknown[] {
  return [
    delimitValues(reported.map(({ email }) => email)),
    delimitValues(reported.map(({ latestAt }) => latestAt)),
  ];
}
