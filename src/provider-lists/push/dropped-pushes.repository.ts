import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { inStep, transactionBefore } from '../../database/transaction.js';
import type { Cause } from '../../ledger/cause.js';
import { FIRST_KEY, type RowKey } from '../row-key.js';
import { ProviderList } from '../provider-list.entity.js';
import type { TakenPush } from './outbox.repository.js';
import { LEASE_MS } from './push-leases.repository.js';
import { IS_ON, IS_WANTED } from './push-conditions.js';

const SLICE_ROWS = 2_000;
/** Fewer, because it takes longer to find out whether a push is still wanted, above all a removal. */
const DUE_ROWS = { add: 1_000, remove: 100 };
const REASON = 'A switch was turned off before all changes were sent.';

/**
 * When this service added an entry, or may have added it. The entry stays marked, so that decisions about later changes take it
 * into account. Null if the service may also have removed the entry, which then no longer counts as its own.
 */
const PUT_AT = `CASE
    WHEN push.action = 'add' THEN coalesce(push.put_at, push.attempted_at)
    WHEN push.attempted_at IS NULL THEN push.put_at
  END`;

const isDropped = (condition: string) =>
  `account_id = $1 AND ctid = ANY (ARRAY(SELECT row_id FROM slice WHERE NOT is_kept AND mark ${condition}))`;

/** Creates a statement that locks the pushes of a slice, and returns where they are once other transactions have left them. */
function lockStatement(name: string, slice: string): PreparedStatement<{ rowId: string }> {
  return new PreparedStatement(
    `lock-${name}`,
    `SELECT push.ctid AS "rowId"
    FROM provider_list_pushes AS push
    WHERE push.account_id = $1 AND push.provider_list_id = $2 AND ${slice}
    FOR UPDATE`,
  );
}

/**
 * Creates a statement that drops some of the locked pushes. Parameter 3: their places.
 *
 * @param isKept - the SQL condition of the pushes that are kept
 * @param counted - further changes to a plan whose pushes are dropped
 */
function dropStatement(
  name: string,
  isKept: string,
  counted = '',
): PreparedStatement<{ last: RowKey | null }> {
  return new PreparedStatement(
    `drop-${name}`,
    `WITH slice AS MATERIALIZED (
      SELECT
        push.ctid AS row_id, push.status, push.email, push.list, push.address, push.plan_id,
        ${isKept} AS is_kept,
        ${PUT_AT} AS mark
      FROM provider_list_pushes AS push
      JOIN provider_lists AS list ON list.account_id = $1 AND list.id = $2
      WHERE push.account_id = $1 AND push.ctid = ANY (ARRAY(SELECT unnest($3::tid[])))
    ),
    deleted AS (
      DELETE FROM provider_list_pushes WHERE ${isDropped('IS NULL')}
    ),
    marked AS (
      UPDATE provider_list_pushes AS push
      SET action = 'add', status = 'done', put_at = ${PUT_AT}, attempts = 0, next_attempt_at = clock_timestamp(), error = NULL
      WHERE ${isDropped('IS NOT NULL')}
    ),
    counted AS (
      UPDATE provider_list_plans AS plan
      SET skipped = plan.skipped + dropped.number${counted}
      FROM (
        SELECT plan_id, count(*) AS number FROM slice WHERE NOT is_kept AND plan_id IS NOT NULL GROUP BY plan_id
      ) AS dropped
      WHERE plan.account_id = $1 AND plan.id = dropped.plan_id AND plan.status <> 'applied'
    )
    SELECT (
      SELECT ARRAY[status, email, list, address]
      FROM slice
      ORDER BY status DESC, email DESC, list DESC, address DESC
      LIMIT 1
    ) AS last`,
  );
}

/** The next open pushes, sorted by status and address. Parameters 3 to 6: the position. */
const LOCK_OPEN = lockStatement(
  'open-provider-list-pushes',
  `push.status <> 'done'
    AND (push.status, push.email, push.list, push.address) > ($3, $4, $5, $6)
  ORDER BY push.status, push.email, push.list, push.address
  LIMIT ${SLICE_ROWS}`,
);

const DROP_WITHDRAWN = dropStatement(
  'withdrawn-provider-list-pushes',
  IS_ON,
  `, reason = coalesce(plan.reason, '${REASON}')`,
);

const due = (action: 'add' | 'remove', condition: string) => `ARRAY(
      SELECT ctid
      FROM provider_list_pushes
      WHERE account_id = $1
        AND provider_list_id = $2
        AND status = 'pending'
        AND next_attempt_at <= now()
        AND ${condition}
        AND $6 = '${action}'
      ORDER BY next_attempt_at
      LIMIT ${DUE_ROWS[action]}
    )`;

/** A claimed push, and those that are due after it. Parameters 3 to 6: its key and its action. */
const LOCK_DUE = lockStatement(
  'due-provider-list-pushes',
  `push.status = 'pending'
    AND push.ctid = ANY (
      ARRAY(
        SELECT ctid
        FROM provider_list_pushes
        WHERE account_id = $1 AND provider_list_id = $2 AND email = $3 AND list = $4 AND address = $5
      )
      || ${due('add', `action = 'add'`)}
      || ${due('remove', `action = 'remove' AND consent IS NULL`)}
    )
  ORDER BY push.email, push.list, push.address`,
);

/** Parameter 4: the causes that have an effect at the provider. */
const DROP_UNWANTED = dropStatement(
  'unwanted-provider-list-pushes',
  `${IS_WANTED} AND (push.action = 'remove' OR push.cause = ANY ($4::suppression_cause[]))`,
);

/** Drops pushes that must not be sent anymore. */
@Injectable()
export class DroppedPushesRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Drops the pushes of switches that were turned off, or of a discarded plan, in one pass of short slices, which renew the
   * lease of the holder. A request for another pass revokes the lease.
   *
   * @param list - a list that this instance holds
   */
  async dropWithdrawn(list: ProviderList, stopping: AbortSignal): Promise<void> {
    const { accountId, id } = list;
    let position: RowKey | null = FIRST_KEY;
    while (position && !stopping.aborted) {
      const values: unknown[] = [accountId, id, ...position];
      position = await this.whileHeld(list, async (transaction) => {
        const rowIds = await rowIdsOf(LOCK_OPEN.run(transaction, values));
        const [dropped] = await DROP_WITHDRAWN.run(transaction, [accountId, id, rowIds]);
        const last = dropped!.last;
        const rest = last
          ? { pushLeasedUntil: () => `now() + interval '${LEASE_MS} milliseconds'` }
          : { hasWithdrawn: false };
        await transaction.update(ProviderList, { accountId, id }, rest);
        return last;
      });
    }
  }

  /**
   * Drops a push that is no longer wanted, and similar ones that are due next. Otherwise, other pushes would wait until each
   * push of a wave of lifts has been examined.
   *
   * @param list - a list that this instance holds
   * @param effective - the causes that have an effect at the provider
   */
  async dropUnwanted(
    list: ProviderList,
    { email, list: name, address, action }: TakenPush,
    effective: readonly Cause[],
  ): Promise<void> {
    const { accountId, id } = list;
    await this.whileHeld(list, async (transaction) => {
      const rowIds = await rowIdsOf(LOCK_DUE.run(transaction, [accountId, id, email, name, address, action]));
      await DROP_UNWANTED.run(transaction, [accountId, id, rowIds, effective]);
    });
  }

  /** Locks the list, so that only attempts that have begun, and erasures, change its pushes. Returns null if the lease was lost. */
  private whileHeld<Result>(
    { accountId, id, pushLeaseId }: ProviderList,
    work: (transaction: EntityManager) => Promise<Result>,
  ): Promise<Result | null> {
    return transactionBefore(this.dataSource, inStep(accountId), async (transaction) => {
      const lock = { mode: 'pessimistic_write' } as const;
      const held = { accountId, id, pushLeaseId: pushLeaseId! };
      return (await transaction.findOne(ProviderList, { where: held, lock })) ? work(transaction) : null;
    });
  }
}

async function rowIdsOf(locked: Promise<{ rowId: string }[]>): Promise<string[]> {
  return (await locked).map(({ rowId }) => rowId);
}
