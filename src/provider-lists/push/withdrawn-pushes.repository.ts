import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { transactionBefore } from '../../database/transaction.js';
import { ProviderList } from '../provider-list.entity.js';
import { IS_ON } from './switches.js';

const SLICE_ROWS = 1_000;
const STEP_MS = 4_000;

/**
 * What this service had put there, or may have, stays marked. Of an entry that it may have removed, nothing is known, as after a
 * push that is dropped.
 */
const WITHDRAW = new PreparedStatement<{ withdrawn: number }>(
  'withdraw-provider-list-pushes',
  `WITH slice AS MATERIALIZED (
    SELECT push.email, push.list, push.address,
      CASE
        WHEN push.action = 'add' THEN coalesce(push.put_at, push.attempted_at)
        WHEN push.attempted_at IS NULL THEN push.put_at
      END AS put_at
    FROM provider_lists AS list
    JOIN provider_list_pushes AS push ON push.account_id = list.account_id AND push.provider_list_id = list.id
    WHERE list.account_id = $1 AND list.id = $2 AND push.status <> 'done' AND NOT ${IS_ON}
    LIMIT ${SLICE_ROWS}
    FOR UPDATE OF push
  ),
  deleted AS (
    DELETE FROM provider_list_pushes AS push
    USING slice
    WHERE push.account_id = $1
      AND push.provider_list_id = $2
      AND (push.email, push.list, push.address) = (slice.email, slice.list, slice.address)
      AND slice.put_at IS NULL
  ),
  kept AS (
    UPDATE provider_list_pushes AS push
    SET action = 'add', status = 'done', put_at = slice.put_at
    FROM slice
    WHERE push.account_id = $1
      AND push.provider_list_id = $2
      AND (push.email, push.list, push.address) = (slice.email, slice.list, slice.address)
      AND slice.put_at IS NOT NULL
  )
  SELECT count(*)::integer AS withdrawn FROM slice`,
);

/** What the switches of a list do not let be sent any more. */
@Injectable()
export class WithdrawnPushesRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Drops it, in slices that are short. Nothing of it was sent since the switches changed. */
  async withdraw(list: ProviderList, stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && !(await this.transaction((manager) => this.withdrawSlice(list, manager)))) {
      // The next slice follows.
    }
  }

  /** @returns whether there was nothing left; the lock of the list excludes that its switches change meanwhile */
  private async withdrawSlice({ accountId, id }: ProviderList, transaction: EntityManager): Promise<boolean> {
    const lock = { mode: 'pessimistic_write' } as const;
    await transaction.findOne(ProviderList, { where: { accountId, id }, lock });
    const [{ withdrawn }] = (await WITHDRAW.run(transaction, [accountId, id])) as [{ withdrawn: number }];
    if (withdrawn > 0) {
      return false;
    }
    await transaction.update(ProviderList, { accountId, id }, { hasWithdrawn: false });
    return true;
  }

  private transaction<Result>(work: (transaction: EntityManager) => Promise<Result>): Promise<Result> {
    return transactionBefore(this.dataSource, performance.now() + STEP_MS, work);
  }
}
