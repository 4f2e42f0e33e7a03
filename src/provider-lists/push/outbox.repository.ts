import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { inStep, transactionBefore } from '../../database/transaction.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { ProviderListPlan } from '../plans/provider-list-plan.entity.js';
import { IS_ACTIVE, type ProviderList } from '../provider-list.entity.js';
import { ProviderListPush } from './provider-list-push.entity.js';
import { CAPPED_UNTIL, IS_ON, IS_WANTED } from './push-conditions.js';
import type { PushOutcome } from './push-outcomes.js';

/** After this time, another attempt may begin, because the instance that began this one is dead. */
const ATTEMPT_SECONDS = 90;
/** How many removals are postponed at a time. Each is examined, which takes a while. */
const POSTPONED_ROWS = 100;

export interface TakenPush extends Pick<
  ProviderListPush,
  | 'list'
  | 'address'
  | 'action'
  | 'cause'
  | 'since'
  | 'attempts'
  | 'sentAt'
  | 'nextAttemptAt'
  | 'putAt'
  | 'planId'
  | 'consent'
> {
  email: EmailAddress;
  /** Whether the push still agrees with the list here. */
  isWanted: boolean;
  /** Until when the removal must wait because of the removals of the last 24 hours; null if it need not wait. */
  cappedUntil: Date | null;
}

/** SQL condition: the list may still push the row. Parameters 1 to 3: the list, and the lease of its holder. */
const MAY_BE_SENT = `EXISTS (
  SELECT FROM provider_lists AS list
  WHERE list.account_id = $1
    AND list.id = $2
    AND list.push_lease_id = $3
    AND list.deleted_at IS NULL
    AND list.stopped_at IS NULL
    AND list.last_success_at IS NOT NULL
    AND ${IS_ACTIVE}
    AND ${IS_ON}
)`;

/**
 * SQL for the first due rows. The lease is compared twice: once for all rows, so that a former holder
 * of the list examines none of them, and again for the row that is found.
 */
const firstDue = (condition: string, order: string, limit = 1) => `
    SELECT push.ctid AS row_id
    FROM provider_list_pushes AS push
    WHERE push.account_id = $1
      AND push.provider_list_id = $2
      AND push.status = 'pending'
      AND push.next_attempt_at <= now()
      AND ${condition}
      AND (SELECT push_lease_id = $3 FROM provider_lists WHERE account_id = $1 AND id = $2)
      AND ${MAY_BE_SENT}
    ORDER BY ${order}
    LIMIT ${limit}
    FOR UPDATE OF push SKIP LOCKED`;

/**
 * Removals come before additions, because a first push has many additions, and confirmed removals come before others. Each
 * order matches an index.
 */
const TAKE = new PreparedStatement<TakenPush>(
  'take-provider-list-pushes',
  `WITH confirmed AS MATERIALIZED (${firstDue('push.consent IS NOT NULL', 'push.next_attempt_at, push.email')}
  ),
  removal AS MATERIALIZED (${firstDue(
    `push.action = 'remove' AND push.consent IS NULL AND NOT EXISTS (SELECT FROM confirmed)`,
    'push.next_attempt_at, push.email',
  )}
  ),
  addition AS MATERIALIZED (${firstDue(
    `push.action = 'add' AND NOT EXISTS (SELECT FROM confirmed) AND NOT EXISTS (SELECT FROM removal)`,
    'push.next_attempt_at',
  )}
  )
  UPDATE provider_list_pushes AS push
  SET attempts = attempts + 1, next_attempt_at = now() + interval '${ATTEMPT_SECONDS} seconds'
  WHERE push.account_id = $1
    AND push.ctid = ANY (ARRAY(
      SELECT row_id FROM confirmed UNION ALL SELECT row_id FROM removal UNION ALL SELECT row_id FROM addition
    ))
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
    push.plan_id AS "planId",
    push.consent,
    ${IS_WANTED} AS "isWanted",
    ${CAPPED_UNTIL} AS "cappedUntil"`,
);

/**
 * Postpones the next removals once the cap has been reached. Those that are no longer wanted stay due, to be dropped. Parameters
 * 4 and 5: until when, and why.
 */
const POSTPONE = new PreparedStatement<never>(
  'postpone-provider-list-removals',
  `WITH removal AS MATERIALIZED (${firstDue(
    `push.action = 'remove' AND push.consent IS NULL`,
    'push.next_attempt_at, push.email',
    POSTPONED_ROWS,
  )}
  )
  UPDATE provider_list_pushes AS push
  SET next_attempt_at = $4, error = $5
  WHERE push.account_id = $1
    AND push.ctid = ANY (ARRAY(SELECT row_id FROM removal))
    AND ${CAPPED_UNTIL} IS NOT NULL
    AND ${IS_WANTED}`,
);

/**
 * Begins an attempt, if nothing has changed since the row was taken. `attempted_at` counts a removal toward the cap. Parameters
 * 4 to 8: the row as it was taken. Without its status, only the primary key can find it.
 */
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
    AND ${MAY_BE_SENT}
    AND ${IS_WANTED}
    AND ${CAPPED_UNTIL} IS NULL
  RETURNING push.attempted_at AS "sentAt"`,
);

/** Deletes a removed entry from all plans. */
const FORGET = new PreparedStatement<never>(
  'forget-provider-list-entry',
  `DELETE FROM provider_list_entries
  WHERE account_id = $1
    AND plan_id IN (SELECT id FROM provider_list_plans WHERE account_id = $1 AND provider_list_id = $2 AND has_rows)
    AND email = $3
    AND list = $4
    AND address = $5`,
);

/** The outbox: changes to send to a provider. Only the instance that holds a list gets its rows. */
@Injectable()
export class OutboxRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Takes the next row. No other instance gets it before the attempt is over. */
  async take({ accountId, id, pushLeaseId }: ProviderList): Promise<TakenPush | null> {
    const rows = await TAKE.write(this.dataSource, inStep(accountId), [accountId, id, pushLeaseId]);
    return rows[0] ?? null;
  }

  /** Postpones the next removals that wait because of the cap, many at a time, so that additions need not wait for them. */
  async postponeRemovals(
    { accountId, id, pushLeaseId }: ProviderList,
    until: Date,
    reason: string,
  ): Promise<void> {
    await POSTPONE.write(this.dataSource, inStep(accountId), [accountId, id, pushLeaseId, until, reason]);
  }

  /** Whether the list has a pending row, due or not. */
  hasPending({ accountId, id: providerListId }: ProviderList): Promise<boolean> {
    const pending = { accountId, providerListId, status: 'pending' } as const;
    return this.dataSource.manager.existsBy(ProviderListPush, pending);
  }

  /**
   * Marks a row as sent.
   *
   * @returns the time; null if the change must not be sent anymore
   */
  async begin({ accountId, id, pushLeaseId }: ProviderList, push: TakenPush): Promise<Date | null> {
    const { email, list, address, action, nextAttemptAt } = push;
    const values = [accountId, id, pushLeaseId, email, list, address, action, nextAttemptAt];
    const rows = await BEGIN.write(this.dataSource, inStep(accountId), values);
    return rows[0]?.sentAt ?? null;
  }

  /** Records the outcome of an attempt, unless the row has changed since it was taken. */
  async record(
    { accountId, id: providerListId }: ProviderList,
    { email, list, address, action, nextAttemptAt, planId }: TakenPush,
    { isDeleted, counts, ...row }: PushOutcome,
  ): Promise<void> {
    const entry = { accountId, providerListId, email, list, address };
    const taken = { ...entry, action, nextAttemptAt };
    await transactionBefore(this.dataSource, inStep(accountId), async (transaction) => {
      const { affected } = isDeleted
        ? await transaction.delete(ProviderListPush, taken)
        : await transaction.update(ProviderListPush, taken, row);
      if (affected === 0) {
        return;
      }
      if (action === 'remove' && row.status === 'done') {
        await FORGET.run(transaction, [accountId, providerListId, email, list, address]);
      }
      if (counts && planId !== null) {
        await transaction.increment(ProviderListPlan, { accountId, id: planId }, counts, 1);
      }
    });
  }
}
