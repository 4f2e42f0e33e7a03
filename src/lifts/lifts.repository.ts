import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { toPage, type Page } from '../http/page.js';
import type { JobKey } from '../jobs/job-handler.js';
import type { JobError, JobStatus } from '../jobs/job.entity.js';
import { HIGHEST_ID } from '../validation/parsers.js';
import type { LiftProgress } from './lift.js';
import type { Lift } from './lift.entity.js';

/** A plan can be applied for this long after it was counted. */
export const PLAN_HOURS = 24;
/** A lift can be reverted for this long after it was applied. Then its lines are deleted. */
export const LINE_DAYS = 30;
/** The most plans of an account. Older plans expire. */
export const MAX_PLANS = 20;

export type FoundLift = Omit<Lift, 'accountId' | 'createdBy'> & {
  progress: LiftProgress;
  error: JobError | null;
  createdAt: Date;
};

type IdRow = { id: string };

const FIND = `
  SELECT
    id, cause, query, largest,
    CASE
      WHEN lifts.status = 'ready' AND counted_at < now() - interval '${PLAN_HOURS} hours' THEN 'expired'
      ELSE lifts.status
    END AS status,
    applied_by AS "appliedBy",
    reverted_by AS "revertedBy",
    counted_at AS "countedAt",
    CASE WHEN lines_until > now() THEN lines_until END AS "linesUntil",
    checkpoint AS progress,
    error,
    created_at AS "createdAt"
  FROM lifts
  JOIN jobs USING (account_id, id)
  WHERE account_id = $1`;

const FIND_ONE = new PreparedStatement<FoundLift>('find-lift', `${FIND} AND id = $2`);

const PAGE = new PreparedStatement<FoundLift>('list-lifts', `${FIND} AND id < $2 ORDER BY id DESC LIMIT $3`);

const LOCK = new PreparedStatement<IdRow>(
  'lock-lift',
  'SELECT id FROM lifts WHERE account_id = $1 AND id = $2 FOR UPDATE',
);

/** After a failed count, there is nothing to apply. After another failed step, the rest can be reverted, or reverted again. */
const END_STEP = new PreparedStatement<IdRow>(
  'end-step-of-lift',
  `UPDATE lifts
  SET status = (CASE
      WHEN status = 'counting' AND $3 THEN 'ready'
      WHEN status = 'counting' THEN 'expired'
      WHEN status = 'reverting' AND $3 THEN 'reverted'
      ELSE 'applied'
    END)::lift_status,
    largest = coalesce($4, largest),
    counted_at = coalesce(counted_at, now()),
    lines_until = CASE
      WHEN status <> 'counting' THEN now() + interval '${LINE_DAYS} days'
      WHEN $3 THEN now() + interval '${PLAN_HOURS} hours'
      ELSE now()
    END
  WHERE account_id = $1 AND id = $2
  RETURNING id`,
);

const EXPIRE_PLANS = new PreparedStatement<IdRow>(
  'expire-plans',
  `UPDATE lifts
  SET status = 'expired', lines_until = now()
  WHERE account_id = $1
    AND status = 'ready'
    AND id <= (SELECT id FROM lifts WHERE account_id = $1 AND status = 'ready' ORDER BY id DESC OFFSET ${MAX_PLANS - 1} LIMIT 1)
  RETURNING id`,
);

@Injectable()
export class LiftsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Expires the oldest plans of an account, so that it has fewer than {@link MAX_PLANS}. */
  async expirePlans(accountId: number, transaction: EntityManager): Promise<void> {
    await EXPIRE_PLANS.run(transaction, [accountId]);
  }

  async find(
    accountId: number,
    id: string,
    on: DataSource | EntityManager = this.dataSource,
  ): Promise<FoundLift | null> {
    const [found = null] = await FIND_ONE.run(on, [accountId, id]);
    return found;
  }

  /** Finds a lift, and locks it until the transaction ends. */
  async lock(accountId: number, id: string, transaction: EntityManager): Promise<FoundLift | null> {
    await LOCK.run(transaction, [accountId, id]);
    return this.find(accountId, id, transaction);
  }

  /** Newest first. */
  async page(accountId: number, limit: number, after = HIGHEST_ID): Promise<Page<FoundLift>> {
    return toPage(await PAGE.run(this.dataSource, [accountId, after, limit + 1]), limit);
  }

  /** Moves a lift to the status that follows, after its job has counted, applied, or reverted. */
  async endStep(
    { accountId, id }: JobKey,
    status: JobStatus,
    largest: Lift['largest'],
    transaction: EntityManager,
  ): Promise<void> {
    await END_STEP.run(transaction, [
      accountId,
      id,
      status === 'completed',
      largest && JSON.stringify(largest),
    ]);
  }
}
