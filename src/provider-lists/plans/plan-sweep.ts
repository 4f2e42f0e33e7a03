import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { BackgroundTasks, repeat, Sweep } from '../../process/background-tasks.js';

const BATCH_ROWS = 5_000;
const KEPT_PLANS = 7;

const EXPIRE = new PreparedStatement<never>(
  'expire-provider-list-plans',
  `UPDATE provider_list_plans SET status = 'expired'
  WHERE has_rows AND status IN ('ready', 'stopped') AND ready_at < now() - interval '24 hours'`,
);

/**
 * Plans that can no longer be applied, except the one that the next comparison starts from. The last applied plans stay for a
 * week.
 */
const ENDED = `
  SELECT plan.account_id, plan.id
  FROM provider_list_plans AS plan
  JOIN provider_lists AS list ON list.account_id = plan.account_id AND list.id = plan.provider_list_id
  WHERE plan.has_rows
    AND (
      list.deleted_at IS NOT NULL
      OR plan.id IS DISTINCT FROM list.base_plan_id
        AND (
          plan.deleted_at IS NOT NULL
          OR plan.status IN ('failed', 'expired')
          OR plan.status = 'applied' AND (
            plan.ready_at < now() - interval '7 days'
            OR plan.id < (
              SELECT id
              FROM provider_list_plans
              WHERE account_id = list.account_id AND provider_list_id = list.id AND status = 'applied'
              ORDER BY id DESC
              OFFSET ${KEPT_PLANS - 1}
              LIMIT 1
            )
          )
        )
    )
  ORDER BY plan.created_at
  LIMIT 1
  FOR NO KEY UPDATE OF plan SKIP LOCKED`;

const deleteRows = (table: string) => `
  DELETE FROM ${table}
  WHERE ctid = ANY (ARRAY(
    SELECT ${table}.ctid
    FROM ${table}
    JOIN ended ON ended.account_id = ${table}.account_id AND ended.id = ${table}.plan_id
    LIMIT ${BATCH_ROWS}
  ))`;

const hasRows = (table: string) => `EXISTS (
    SELECT FROM ${table} WHERE account_id = plan.account_id AND plan_id = plan.id
  )`;

/** Deletes some rows of one plan that no other instance is cleaning. A plan without rows is marked. */
const CLEAN = new PreparedStatement<{ id: string }>(
  'delete-provider-list-rows',
  `WITH ended AS (${ENDED}),
  entries AS (${deleteRows('provider_list_entries')}),
  lines AS (${deleteRows('provider_list_lines')})
  UPDATE provider_list_plans AS plan
  SET has_rows = ${hasRows('provider_list_entries')} OR ${hasRows('provider_list_lines')}
  FROM ended
  WHERE plan.account_id = ended.account_id AND plan.id = ended.id
  RETURNING plan.id`,
);

/** Deletes a discarded plan only after its pushes have been withdrawn. */
const DELETE_PLANS = new PreparedStatement<never>(
  'delete-provider-list-plans',
  `DELETE FROM provider_list_plans AS plan
  USING provider_lists AS list
  WHERE list.account_id = plan.account_id
    AND list.id = plan.provider_list_id
    AND NOT plan.has_rows
    AND (
      list.deleted_at IS NOT NULL
      OR plan.deleted_at IS NOT NULL AND NOT list.has_withdrawn
      OR plan.created_at < now() - interval '90 days' AND NOT EXISTS (
        SELECT
        FROM provider_list_pushes AS push
        WHERE push.account_id = plan.account_id
          AND push.provider_list_id = plan.provider_list_id
          AND push.plan_id = plan.id
          AND push.status <> 'done'
      )
    )`,
);

const DELETE_PUSHES = new PreparedStatement<{ email: string }>(
  'delete-provider-list-pushes',
  `DELETE FROM provider_list_pushes
  WHERE ctid = ANY (ARRAY(
    SELECT push.ctid
    FROM provider_lists AS list
    JOIN provider_list_pushes AS push ON push.account_id = list.account_id AND push.provider_list_id = list.id
    WHERE list.deleted_at IS NOT NULL
    LIMIT ${BATCH_ROWS}
  ))
  RETURNING email`,
);

const DELETE_LISTS = new PreparedStatement<never>(
  'delete-provider-lists',
  `DELETE FROM provider_lists AS list
  WHERE deleted_at IS NOT NULL
    AND NOT EXISTS (
      SELECT FROM provider_list_plans
      WHERE account_id = list.account_id AND provider_list_id = list.id
    )
    AND NOT EXISTS (
      SELECT FROM provider_list_pushes
      WHERE account_id = list.account_id AND provider_list_id = list.id
    )`,
);

/** Expires plans, and deletes data that is no longer needed. */
@Injectable()
export class PlanSweep extends Sweep {
  constructor(
    tasks: BackgroundTasks,
    private readonly dataSource: DataSource,
  ) {
    super(tasks, { intervalMs: 60_000, failure: 'old plans of provider lists were not deleted' });
  }

  protected async sweep(stopping: AbortSignal): Promise<void> {
    await EXPIRE.run(this.dataSource, []);
    await repeat(async () => (await CLEAN.run(this.dataSource, [])).length > 0, stopping);
    await DELETE_PLANS.run(this.dataSource, []);
    await repeat(async () => (await DELETE_PUSHES.run(this.dataSource, [])).length > 0, stopping);
    await DELETE_LISTS.run(this.dataSource, []);
  }
}
