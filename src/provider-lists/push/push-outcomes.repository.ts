import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { RowSet } from '../../database/rows.js';
import { inStep } from '../../database/transaction.js';
import type { ProviderList } from '../provider-list.entity.js';
import type { ProviderListPush } from './provider-list-push.entity.js';
import type { TakenPush } from './outbox.repository.js';

/** The row after an attempt. */
export interface PushOutcome extends Pick<
  ProviderListPush,
  'status' | 'attempts' | 'nextAttemptAt' | 'sentAt' | 'putAt' | 'error'
> {
  push: TakenPush;
  /** Whether the row is deleted. */
  isDeleted: boolean;
  /** How the plan counts the push, if it is part of one. */
  counts: 'applied' | 'skipped' | null;
}

const OUTCOMES = new RowSet(4, {
  email: 'text',
  list: 'text',
  address: 'text',
  takenAction: 'text',
  takenUntil: 'timestamptz',
  isDeleted: 'boolean',
  status: 'text',
  attempts: 'integer',
  nextAttemptAt: 'timestamptz',
  sentAt: 'timestamptz',
  putAt: 'timestamptz',
  error: 'text',
  counts: 'text',
});

const IS_PUSH = 'push.account_id = $1 AND push.ctid = (SELECT row_id FROM outcome)';

/**
 * Records the outcome only if the row has not changed since it was taken, at its location (parameter 3). A removed entry is
 * deleted from all plans.
 */
const RECORD = new PreparedStatement<never>(
  'record-provider-list-pushes',
  `WITH outcome AS MATERIALIZED (
    SELECT taken.row_id, taken.plan_id, result.*
    FROM ${OUTCOMES.as('result')}
    CROSS JOIN LATERAL (
      SELECT ctid AS row_id, plan_id
      FROM provider_list_pushes
      WHERE account_id = $1
        AND provider_list_id = $2
        AND ctid = $3::tid
        AND email = result.email
        AND list = result.list
        AND address = result.address
        AND action = result.taken_action
        AND next_attempt_at = result.taken_until
        AND status = 'pending'
      LIMIT 1
      FOR UPDATE
    ) AS taken
  ),
  deleted AS (
    DELETE FROM provider_list_pushes AS push USING outcome WHERE ${IS_PUSH} AND is_deleted
  ),
  kept AS (
    UPDATE provider_list_pushes AS push
    SET
      status = outcome.status,
      attempts = outcome.attempts,
      next_attempt_at = outcome.next_attempt_at,
      attempted_at = outcome.sent_at,
      put_at = outcome.put_at,
      error = outcome.error
    FROM outcome
    WHERE ${IS_PUSH} AND NOT is_deleted
  ),
  forgotten AS (
    DELETE FROM provider_list_entries AS entry
    USING outcome
    WHERE taken_action = 'remove'
      AND (is_deleted OR outcome.status = 'done')
      AND counts = 'applied'
      AND entry.account_id = $1
      AND entry.plan_id IN (
        SELECT id FROM provider_list_plans WHERE account_id = $1 AND provider_list_id = $2 AND has_rows
      )
      AND entry.email = outcome.email
      AND entry.list = outcome.list
      AND entry.address = outcome.address
  )
  UPDATE provider_list_plans AS plan
  SET
    applied = applied + (outcome.counts = 'applied')::integer,
    skipped = skipped + (outcome.counts = 'skipped')::integer
  FROM outcome
  WHERE plan.account_id = $1 AND plan.id = outcome.plan_id AND outcome.counts IS NOT NULL`,
);

/** Stores the outcome of a claimed change. */
@Injectable()
export class PushOutcomesRepository {
  constructor(private readonly dataSource: DataSource) {}

  async record({ accountId, id }: ProviderList, { push, ...outcome }: PushOutcome): Promise<void> {
    const row = {
      email: push.email,
      list: push.list,
      address: push.address,
      takenAction: push.action,
      takenUntil: push.nextAttemptAt,
      ...outcome,
    };
    await RECORD.write(this.dataSource, inStep(), [accountId, id, push.rowId, ...OUTCOMES.values([row])]);
  }
}
