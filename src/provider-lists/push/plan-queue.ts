import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { ERASED_DOMAIN } from '../../email-address/email-address.js';
import { lastRevision } from '../../ledger/ledger-sql.js';
import { START, type Position } from '../comparison/comparison-batch.js';
import type { ProviderListPlan } from '../plans/provider-list-plan.entity.js';
import type { ProviderList } from '../provider-list.entity.js';
import { firstAttemptAt, REPLACE_PUSH } from './push-states.repository.js';
import { removalCap } from './push-conditions.js';

const BATCH_LINES = 1_000;

export interface QueueProgress {
  /** Null after the last line. */
  kind: 'push' | 'remove' | null;
  after: Position;
  removals: number;
  hasQueued: boolean;
}

export const QUEUE_BEGINNING: QueueProgress = {
  kind: 'push',
  after: START,
  removals: 0,
  hasQueued: false,
};

interface Queued {
  lines: number;
  queued: number;
  last: Position | null;
}

/** All entries of an address are removed by the same plan, even if that exceeds the cap. */
const QUEUE = new PreparedStatement<Queued>(
  'queue-provider-list-lines',
  `WITH batch AS MATERIALIZED (
    SELECT kind, email, list, address, cause, listed_at, revision
    FROM provider_list_lines
    WHERE account_id = $1 AND plan_id = $2 AND kind = $3 AND (email, list, address) > ($4, $5, $6)
    ORDER BY email
    FETCH FIRST $7 ROWS WITH TIES
  ),
  queued AS (
    INSERT INTO provider_list_pushes (
      account_id, provider_list_id, plan_id, email, list, address, action, cause, since, next_attempt_at
    )
    SELECT
      $1, $8, $2, email, list,
      CASE WHEN kind = 'push' THEN email ELSE address END,
      CASE WHEN kind = 'push' THEN 'add' ELSE 'remove' END,
      cause,
      coalesce(listed_at, now()),
      ${firstAttemptAt(`
        kind = 'push' AND cause = 'bounce' AND (SELECT incident_guard = 'hold' FROM accounts WHERE id = $1)`)}
    FROM batch
    WHERE revision = ${lastRevision('batch.email')}
      AND (kind = 'remove' OR cause <> 'unsubscribe' OR $9::boolean)
      AND email NOT LIKE '%@${ERASED_DOMAIN}'
    ORDER BY email, list, address
    ${REPLACE_PUSH}
    RETURNING email
  ),
  counted AS (
    UPDATE provider_list_plans
    SET
      skipped = skipped + (SELECT count(*) FROM batch) - (SELECT count(*) FROM queued),
      capped = greatest(capped - greatest((SELECT count(*) FROM batch) - $7, 0), 0)
    WHERE account_id = $1 AND id = $2
  )
  SELECT
    (SELECT count(*) FROM batch)::integer AS lines,
    (SELECT count(*) FROM queued)::integer AS queued,
    (
      SELECT ARRAY[email, list, address] FROM batch ORDER BY email DESC, list DESC, address DESC LIMIT 1
    ) AS last`,
);

/** Writes the lines of a plan that must be sent to the provider to the outbox. */
@Injectable()
export class PlanQueue {
  /**
   * Queues a batch. Lines whose address has changed since the comparison are skipped, and removals beyond the cap are not
   * queued.
   */
  async advance(
    list: ProviderList,
    { accountId, id, entries }: ProviderListPlan,
    progress: QueueProgress,
    transaction: EntityManager,
  ): Promise<QueueProgress> {
    const { kind, after, removals } = progress;
    const isOn = kind === 'push' ? list.pushAdditions : list.pushRemovals;
    const limit = kind === 'push' ? BATCH_LINES : Math.max(removalCap(entries) - removals, 0);
    const values = [accountId, id, kind, ...after, isOn ? limit : 0, list.id, list.pushUnsubscribes];
    const [{ lines, queued, last }] = (await QUEUE.run(transaction, values)) as [Queued];
    const hasQueued = progress.hasQueued || queued > 0;
    if (lines > 0 && last) {
      return { kind, after: last, removals: kind === 'remove' ? removals + lines : 0, hasQueued };
    }
    return { ...QUEUE_BEGINNING, kind: kind === 'push' ? 'remove' : null, hasQueued };
  }
}
