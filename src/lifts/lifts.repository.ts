import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import { toPage, type Page } from '../http/page.js';
import type { JobError } from '../jobs/job.entity.js';
import { HIGHEST_ID } from '../validation/parsers.js';
import type { LiftProgress } from './lift.js';
import { Lift, type LiftStatus } from './lift.entity.js';

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
    await transaction.query('SELECT FROM lifts WHERE account_id = $1 AND id = $2 FOR UPDATE', [
      accountId,
      id,
    ]);
    return this.find(accountId, id, transaction);
  }

  /** Newest first. */
  async page(accountId: number, limit: number, after = HIGHEST_ID): Promise<Page<FoundLift>> {
    return toPage(await PAGE.run(this.dataSource, [accountId, after, limit + 1]), limit);
  }

  /**
   * Moves a lift to the status that follows, after its job has counted, applied, or reverted. Until then, nothing else changes
   * the status of the lift.
   */
  async endStep(
    accountId: number,
    { id, status, largest }: FoundLift,
    isComplete: boolean,
    transaction: EntityManager,
  ): Promise<void> {
    const { next, hours } = afterStep(status, isComplete);
    await transaction.update(
      Lift,
      { accountId, id },
      {
        status: next,
        largest,
        countedAt: () => 'coalesce(counted_at, now())',
        linesUntil: () => `now() + interval '${hours} hours'`,
      },
    );
  }
}

/**
 * The status after a step, and how long the lines are kept. After a failed count, there is nothing to apply. After another
 * failed step, the rest can be reverted, or reverted again.
 */
function afterStep(status: LiftStatus, isComplete: boolean): { next: LiftStatus; hours: number } {
  if (status === 'counting') {
    return isComplete ? { next: 'ready', hours: PLAN_HOURS } : { next: 'expired', hours: 0 };
  }
  const next = status === 'reverting' && isComplete ? 'reverted' : 'applied';
  return { next, hours: LINE_DAYS * 24 };
}
