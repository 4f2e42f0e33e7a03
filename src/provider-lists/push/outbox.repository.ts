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
import { IS_ON } from './switches.js';

/** After this, another attempt may begin: the instance that began this one is dead. */
const ATTEMPT_SECONDS = 90;
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
  /** When the change was last sent; null if only the entry was looked up. */
  sentAt: Date | null;
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
  sentAt: Date | null;
  putAt: Date | null;
  error: string | null;
  /** How its plan counts it, if it is a part of one. */
  counts: 'applied' | 'skipped' | null;
}

const IS_SUPPRESSED = `EXISTS (
  SELECT FROM suppressions WHERE account_id = $1 AND email = push.email AND ${IS_LIVE}
)`;

/** Whether a list still pushes a row. Parameters 1 to 3: the list, and the lease of its holder. */
const MAY_BE_SENT = `EXISTS (
  SELECT FROM provider_lists AS list
  WHERE list.account_id = $1
    AND list.id = $2
    AND list.push_lease_id = $3
    AND list.deleted_at IS NULL
    AND list.stopped_at IS NULL
    AND list.last_success_at IS NOT NULL
    AND ${IS_ON}
)`;

const dueFirst = (condition: string, order: string) => `
    SELECT push.email, push.list, push.address
    FROM provider_list_pushes AS push
    WHERE push.account_id = $1
      AND push.provider_list_id = $2
      AND push.status = 'pending'
      AND push.next_attempt_at <= now()
      AND ${condition}
      AND ${MAY_BE_SENT}
    ORDER BY ${order}
    LIMIT 1
    FOR UPDATE OF push SKIP LOCKED`;

/** A first push has many additions, so removals come first, and of these, what a person confirmed. */
const TAKE = new PreparedStatement<TakenPush>(
  'take-provider-list-pushes',
  `WITH removal AS MATERIALIZED (${dueFirst(`push.action = 'remove'`, 'push.consent IS NULL, push.next_attempt_at, push.email')}
  ),
  addition AS MATERIALIZED (${dueFirst(`push.action = 'add' AND NOT EXISTS (SELECT FROM removal)`, 'push.next_attempt_at, push.email')}
  ),
  due AS (SELECT * FROM removal UNION ALL SELECT * FROM addition)
  UPDATE provider_list_pushes AS push
  SET attempts = attempts + 1, next_attempt_at = now() + interval '${ATTEMPT_SECONDS} seconds'
  FROM due
  WHERE push.account_id = $1
    AND push.provider_list_id = $2
    AND push.email = due.email
    AND push.list = due.list
    AND push.address = due.address
  RETURNING
    push.email,
    push.list,
    push.address,
    push.action,
    push.cause,
    push.since,
    push.attempts,
    push.attempted_at AS "sentAt",
    push.next_attempt_at AS "nextAttemptAt",
    push.put_at AS "putAt",
    push.consent,
    ${IS_SUPPRESSED} AS "isSuppressed"`,
);

/** Only if nothing has changed since the row was taken. Parameters 4 to 8: the row as it was taken. */
const BEGIN = new PreparedStatement<{ sentAt: Date }>(
  'begin-provider-list-push',
  `UPDATE provider_list_pushes AS push
  SET attempted_at = clock_timestamp()
  WHERE push.account_id = $1
    AND push.provider_list_id = $2
    AND push.email = $4
    AND push.list = $5
    AND push.address = $6
    AND push.action = $7
    AND push.next_attempt_at = $8
    AND push.status = 'pending'
    AND ${MAY_BE_SENT}
    AND ${IS_SUPPRESSED} = (push.action = 'add')
  RETURNING push.attempted_at AS "sentAt"`,
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
  sentAt: 'timestamptz',
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

/** Only of rows that have not changed since they were taken. What was removed there is no longer what any plan has read. */
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

  /** Takes the next row. Nobody else gets it before the attempt is over. */
  async take({ accountId, id }: ProviderList, leaseId: string): Promise<TakenPush | null> {
    const rows = await transactionBefore(this.dataSource, performance.now() + STEP_MS, (transaction) =>
      TAKE.run(transaction, [accountId, id, leaseId]),
    );
    return rows[0] ?? null;
  }

  /**
   * Marks a row as sent.
   *
   * @returns when; null if it must not be sent any more
   */
  async begin({ accountId, id }: ProviderList, leaseId: string, push: TakenPush): Promise<Date | null> {
    const { email, list, address, action, nextAttemptAt } = push;
    const values = [accountId, id, leaseId, email, list, address, action, nextAttemptAt];
    const rows = await transactionBefore(this.dataSource, performance.now() + STEP_MS, (transaction) =>
      BEGIN.run(transaction, values),
    );
    return rows[0]?.sentAt ?? null;
  }

  async record({ accountId, id }: ProviderList, { push, ...outcome }: PushOutcome): Promise<void> {
    const row = {
      email: push.email,
      list: push.list,
      address: push.address,
      takenAction: push.action,
      takenUntil: push.nextAttemptAt,
      ...outcome,
    };
    await transactionBefore(this.dataSource, performance.now() + STEP_MS, (transaction) =>
      RECORD.run(transaction, [accountId, id, ...OUTCOMES.values([row])]),
    );
  }
}
