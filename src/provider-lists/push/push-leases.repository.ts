import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { IS_ACTIVE, ProviderList } from '../provider-list.entity.js';
import { IS_ON } from './push-conditions.js';

/** If an instance dies, others can claim its lists after this time. It is longer than a turn with its last requests. */
export const LEASE_MS = 120_000;

const IS_BEHIND = `(
  (SELECT true FROM feed_pending WHERE feed_pending.account_id = list.account_id LIMIT 1)
  OR push_position < (SELECT last_position FROM feed_heads WHERE feed_heads.account_id = list.account_id)
)`;

const HAS_DUE = `EXISTS (
  SELECT FROM provider_list_pushes AS push
  WHERE push.account_id = list.account_id
    AND push.provider_list_id = list.id
    AND push.status = 'pending'
    AND push.next_attempt_at <= now()
    AND ${IS_ON}
)`;

/** A list may push only after its first success, because before that it is unknown whether another list is the same one. */
const MAY_PUSH = `(
  stopped_at IS NULL
  AND last_success_at IS NOT NULL
  AND (push_paused_until IS NULL OR push_paused_until <= now())
  AND (pushing_plan_id IS NOT NULL OR ${HAS_DUE} OR push_position IS NOT NULL AND ${IS_BEHIND})
  AND ${IS_ACTIVE}
)`;

/**
 * SQL: no instance holds the list, and it need not rest. A lease that ends later than a new one would was given before the clock
 * was set back. It counts if the difference is small, because it may also be a new one that a concurrent claim has just given.
 */
const IS_FREE = `(
  push_leased_until IS NULL OR push_leased_until NOT BETWEEN now() AND now() + interval '${2 * LEASE_MS} milliseconds'
)`;

/** Claims the lists that were released longest ago. */
const CLAIM = new PreparedStatement<Pick<ProviderList, 'accountId' | 'id'>>(
  'claim-provider-lists',
  `UPDATE provider_lists AS held
  SET push_lease_id = $1, push_leased_until = now() + interval '${LEASE_MS} milliseconds'
  FROM (
    SELECT account_id, id
    FROM provider_lists AS list
    WHERE deleted_at IS NULL
      AND id <> ALL ($3::uuid[])
      AND ${IS_FREE}
      AND (has_withdrawn OR ${MAY_PUSH})
    ORDER BY push_leased_until NULLS FIRST
    LIMIT $2
    FOR NO KEY UPDATE SKIP LOCKED
  ) AS free
  WHERE held.account_id = free.account_id AND held.id = free.id
  RETURNING held.account_id AS "accountId", held.id`,
);

/** Rounds down, as the column would round up, so that a list without rest is free at once. */
const RELEASE = new PreparedStatement<{ id: string }>(
  'release-provider-list',
  `UPDATE provider_lists
  SET push_lease_id = NULL, push_leased_until = date_trunc('milliseconds', now() + $4 * interval '1 millisecond')
  WHERE account_id = $1 AND id = $2 AND push_lease_id = $3
  RETURNING id`,
);

/** Leases of provider lists. The holder of a lease sends the changes of the list. */
@Injectable()
export class PushLeasesRepository {
  readonly leaseId = randomUUID();

  constructor(private readonly dataSource: DataSource) {}

  /**
   * Claims lists that have something to send and that no instance holds.
   *
   * @param serving - the lists that this instance is still serving, possibly after their leases have expired
   */
  async claim(limit: number, serving: string[]): Promise<ProviderList[]> {
    const claimed = await CLAIM.run(this.dataSource, [this.leaseId, limit, serving]);
    const { manager } = this.dataSource;
    const lists = await Promise.all(
      claimed.map((list) => manager.findOneBy(ProviderList, { ...list, pushLeaseId: this.leaseId })),
    );
    return lists.filter((list) => list !== null);
  }

  /** @param restMs - how long no instance may claim the list */
  async release({ accountId, id }: ProviderList, restMs = 0): Promise<void> {
    await RELEASE.run(this.dataSource, [accountId, id, this.leaseId, restMs]);
  }
}
