import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { STEP_MS, transactionBefore } from '../../database/transaction.js';
import { ProviderList } from '../provider-list.entity.js';
import { LEASE_MS } from './push-leases.repository.js';
import { OPEN_START, type OpenPosition } from './pushes.repository.js';
import { IS_ON } from './push-conditions.js';

const SLICE_ROWS = 2_000;
const REASON = 'A switch was turned off before all changes were sent.';

/**
 * When this service put an entry there, or may have. Of an entry that it may have removed, nothing is known, as after a push that
 * is dropped.
 */
const PUT_AT = `CASE
    WHEN push.action = 'add' THEN coalesce(push.put_at, push.attempted_at)
    WHEN push.attempted_at IS NULL THEN push.put_at
  END`;

const isWithdrawn = (condition: string) =>
  `account_id = $1 AND ctid = ANY (ARRAY(SELECT row_id FROM slice WHERE NOT is_on AND mark ${condition}))`;

/** The next open pushes, by status and address. Parameters 3 to 6: the position. */
const NEXT = `
    WHERE push.account_id = $1
      AND push.provider_list_id = $2
      AND push.status <> 'done'
      AND (push.status, push.email, push.list, push.address) > ($3, $4, $5, $6)
    ORDER BY push.status, push.email, push.list, push.address
    LIMIT ${SLICE_ROWS}`;

/**
 * In a statement of its own, so that the next one sees the rows as an attempt that held them has left them, also their `ctid`.
 */
const LOCK = new PreparedStatement<never>(
  'lock-open-provider-list-pushes',
  `SELECT FROM provider_list_pushes AS push ${NEXT} FOR UPDATE`,
);

/** Of the next open pushes, those that are not to be sent any more. */
const WITHDRAW = new PreparedStatement<{ last: OpenPosition | null }>(
  'withdraw-provider-list-pushes',
  `WITH slice AS MATERIALIZED (
    SELECT
      push.ctid AS row_id, push.status, push.email, push.list, push.address, push.plan_id,
      ${IS_ON} AS is_on,
      ${PUT_AT} AS mark
    FROM provider_list_pushes AS push
    JOIN provider_lists AS list ON list.account_id = push.account_id AND list.id = push.provider_list_id
    ${NEXT.trim()}
  ),
  deleted AS (
    DELETE FROM provider_list_pushes WHERE ${isWithdrawn('IS NULL')}
  ),
  kept AS (
    UPDATE provider_list_pushes AS push
    SET action = 'add', status = 'done', put_at = ${PUT_AT}
    WHERE ${isWithdrawn('IS NOT NULL')}
  ),
  counted AS (
    UPDATE provider_list_plans AS plan
    SET skipped = plan.skipped + withdrawn.number, reason = coalesce(plan.reason, '${REASON}')
    FROM (
      SELECT plan_id, count(*) AS number FROM slice WHERE NOT is_on AND plan_id IS NOT NULL GROUP BY plan_id
    ) AS withdrawn
    WHERE plan.account_id = $1 AND plan.id = withdrawn.plan_id
  )
  SELECT (
    SELECT ARRAY[status, email, list, address]
    FROM slice
    ORDER BY status DESC, email DESC, list DESC, address DESC
    LIMIT 1
  ) AS last`,
);

/** Pushes that must not be sent any more, since switches were turned off, or a plan was discarded. */
@Injectable()
export class WithdrawnPushesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Drops them in one pass of short slices, whose holder keeps its lease. A request for another pass revokes the lease.
   *
   * @param list - held by this instance
   */
  async withdraw(list: ProviderList, stopping: AbortSignal): Promise<void> {
    let position: OpenPosition | null = OPEN_START;
    while (position && !stopping.aborted) {
      const after: OpenPosition = position;
      position = await transactionBefore(this.dataSource, performance.now() + STEP_MS, (transaction) =>
        this.withdrawSlice(list, after, transaction),
      );
    }
  }

  /** @returns where the next slice begins; null after the last one, or if the lease was lost */
  private async withdrawSlice(
    { accountId, id, pushLeaseId }: ProviderList,
    after: OpenPosition,
    transaction: EntityManager,
  ): Promise<OpenPosition | null> {
    const lock = { mode: 'pessimistic_write' } as const;
    const held = { accountId, id, pushLeaseId: pushLeaseId! };
    if (!(await transaction.findOne(ProviderList, { where: held, lock }))) {
      return null;
    }
    await LOCK.run(transaction, [accountId, id, ...after]);
    const [{ last }] = (await WITHDRAW.run(transaction, [accountId, id, ...after])) as [
      { last: OpenPosition | null },
    ];
    const rest = last ? { pushLeasedUntil: new Date(Date.now() + LEASE_MS) } : { hasWithdrawn: false };
    await transaction.update(ProviderList, { accountId, id }, rest);
    return last;
  }
}
