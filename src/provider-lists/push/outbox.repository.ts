import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { RowSet } from '../../database/row-set.js';
import { transactionBefore } from '../../database/transaction.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { Cause } from '../../ledger/cause.js';
import type { Consent } from '../../ledger/evidence.js';
import { IS_LIVE } from '../../suppressions/suppression.entity.js';
import type { ProviderList } from '../provider-list.entity.js';

/** After this, another attempt may begin: the instance that began this one is dead. */
const ATTEMPT_SECONDS = 60;
const STEP_MS = 4_000;

export interface TakenPush {
  email: EmailAddress;
  list: string;
  address: string;
  action: 'add' | 'remove';
  cause: Cause;
  since: Date;
  /** Counts this one. */
  attempts: number;
  attemptedAt: Date;
  nextAttemptAt: Date;
  putAt: Date | null;
  consent: Consent | null;
  isSuppressed: boolean;
}

/** The row after an attempt. */
export interface PushOutcome {
  push: TakenPush;
  /** Whether nothing has to be kept of it. */
  isDeleted: boolean;
  action: 'add' | 'remove';
  status: 'pending' | 'done' | 'failed';
  attempts: number;
  nextAttemptAt: Date;
  attemptedAt: Date | null;
  putAt: Date | null;
  error: string | null;
  /** How its plan counts it, if it is a part of one. */
  counts: 'applied' | 'skipped' | null;
}

/** SQL for the rows of a list that are due, the earliest first. What failed before is sent alone, so that it fails alone. */
const DUE = `account_id = $1 AND provider_list_id = $2 AND status = 'pending' AND next_attempt_at <= now()`;

const TAKE = new PreparedStatement<TakenPush>(
  'take-provider-list-pushes',
  `WITH first AS MATERIALIZED (
    SELECT action, list, attempts > 0 AS is_alone
    FROM provider_list_pushes
    WHERE ${DUE}
      AND EXISTS (
        SELECT FROM provider_lists
        WHERE account_id = $1 AND id = $2 AND push_lease_id = $3 AND deleted_at IS NULL AND stopped_at IS NULL
      )
    ORDER BY next_attempt_at, email
    LIMIT 1
  ),
  batch AS MATERIALIZED (
    SELECT push.email, push.list, push.address
    FROM provider_list_pushes AS push
    JOIN first ON push.action = first.action AND push.list = first.list AND (push.attempts = 0 OR is_alone)
    WHERE ${DUE}
    ORDER BY push.next_attempt_at, push.email
    LIMIT (SELECT CASE WHEN is_alone THEN 1 WHEN action = 'add' THEN $4::integer ELSE $5::integer END FROM first)
    FOR UPDATE OF push SKIP LOCKED
  )
  UPDATE provider_list_pushes AS push
  SET
    attempts = attempts + 1,
    attempted_at = coalesce(attempted_at, now()),
    next_attempt_at = now() + interval '${ATTEMPT_SECONDS} seconds'
  FROM batch
  WHERE push.account_id = $1
    AND push.provider_list_id = $2
    AND push.email = batch.email
    AND push.list = batch.list
    AND push.address = batch.address
  RETURNING
    push.email,
    push.list,
    push.address,
    push.action,
    push.cause,
    push.since,
    push.attempts,
    push.attempted_at AS "attemptedAt",
    push.next_attempt_at AS "nextAttemptAt",
    push.put_at AS "putAt",
    push.consent,
    EXISTS (
      SELECT FROM suppressions WHERE account_id = $1 AND email = push.email AND ${IS_LIVE}
    ) AS "isSuppressed"`,
);

const OUTCOMES = new RowSet(3, {
  email: 'text',
  list: 'text',
  address: 'text',
  takenAction: 'text',
  takenUntil: 'timestamptz',
  isDeleted: 'boolean',
  action: 'text',
  status: 'text',
  attempts: 'integer',
  nextAttemptAt: 'timestamptz',
  attemptedAt: 'timestamptz',
  putAt: 'timestamptz',
  error: 'text',
  counts: 'text',
});

const IS_PUSH = `
  push.account_id = $1
  AND push.provider_list_id = $2
  AND push.email = outcome.email
  AND push.list = outcome.list
  AND push.address = outcome.address`;

/** Only of rows that have not changed since they were taken. What was removed there is no longer what the last plan read. */
const RECORD = new PreparedStatement<never>(
  'record-provider-list-pushes',
  `WITH outcome AS MATERIALIZED (
    SELECT taken.plan_id, result.*
    FROM ${OUTCOMES.as('result')}
    CROSS JOIN LATERAL (
      SELECT plan_id
      FROM provider_list_pushes
      WHERE account_id = $1
        AND provider_list_id = $2
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
      action = outcome.action,
      status = outcome.status,
      attempts = outcome.attempts,
      next_attempt_at = outcome.next_attempt_at,
      attempted_at = outcome.attempted_at,
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
      AND entry.plan_id = (SELECT base_plan_id FROM provider_lists WHERE account_id = $1 AND id = $2)
      AND entry.email = outcome.email
      AND entry.list = outcome.list
      AND entry.address = outcome.address
  )
  UPDATE provider_list_plans AS plan
  SET applied = plan.applied + number.applied, skipped = plan.skipped + number.skipped
  FROM (
    SELECT
      plan_id,
      count(*) FILTER (WHERE counts = 'applied') AS applied,
      count(*) FILTER (WHERE counts = 'skipped') AS skipped
    FROM outcome
    WHERE plan_id IS NOT NULL
    GROUP BY plan_id
  ) AS number
  WHERE plan.account_id = $1 AND plan.id = number.plan_id`,
);

/** The changes that must reach a provider. */
@Injectable()
export class OutboxRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Takes rows that one request can send. Nobody else gets them before the attempt is over. */
  take(
    { accountId, id }: ProviderList,
    leaseId: string,
    maxAdded: number,
    maxRemoved: number,
  ): Promise<TakenPush[]> {
    return transactionBefore(this.dataSource, performance.now() + STEP_MS, (transaction) =>
      TAKE.run(transaction, [accountId, id, leaseId, maxAdded, maxRemoved]),
    );
  }

  async record({ accountId, id }: ProviderList, outcomes: PushOutcome[]): Promise<void> {
    const rows = outcomes.map(({ push, ...outcome }) => ({
      email: push.email,
      list: push.list,
      address: push.address,
      takenAction: push.action,
      takenUntil: push.nextAttemptAt,
      ...outcome,
    }));
    await transactionBefore(this.dataSource, performance.now() + STEP_MS, (transaction) =>
      RECORD.run(transaction, [accountId, id, ...OUTCOMES.values(rows)]),
    );
  }
}
