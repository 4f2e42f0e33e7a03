import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { v7 as uuidV7 } from 'uuid';
import { Account } from '../accounts/account.entity.js';
import { parametersOf, recordAudit } from '../audit/record-audit.js';
import type { RequestContext } from '../audit/request-context.js';
import { CountsService } from '../counts/counts.service.js';
import { transactionBefore } from '../database/transaction.js';
import { requireFound } from '../http/errors/api-error.js';
import type { Page } from '../http/page.js';
import { JobRunner } from '../jobs/job-runner.js';
import { JobsRepository } from '../jobs/jobs.repository.js';
import type { ChangeActor, Consent } from '../ledger/evidence.js';
import { StoredNames } from '../pseudonyms/stored-names.js';
import {
  ConfirmationRequiredError,
  ConsentRequiredError,
  LiftNotFoundError,
  LiftStatusError,
  MAX_PENDING_LIFTS,
  TooManyLiftsError,
} from './errors.js';
import { LiftLinesRepository, type FoundLine, type PageOfLines } from './lift-lines.repository.js';
import { namesOf, NO_PROGRESS, titleOf, type LiftQuery } from './lift.js';
import { Lift } from './lift.entity.js';
import { LiftsRepository, type FoundLift } from './lifts.repository.js';

const UNCONFIRMED_LINES = 1_000;
const UNCONFIRMED_SHARE = 0.05;

/** A request to apply a lift. */
export interface Application {
  /** The number of lines. Required if they are a large part of the list. */
  confirm: number | null;
  /** Required if the account guards removals. */
  consent: Consent | null;
}

export interface LiftWithExamples extends FoundLift {
  examples: FoundLine[];
}

@Injectable()
export class LiftsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lifts: LiftsRepository,
    private readonly lines: LiftLinesRepository,
    private readonly jobs: JobsRepository,
    private readonly runner: JobRunner,
    private readonly counts: CountsService,
    private readonly storedNames: StoredNames,
  ) {}

  /**
   * Begins to count the suppressions that a query finds. Nothing changes until the lift is applied.
   *
   * @throws {TooManyLiftsError}
   */
  async create(context: RequestContext, query: LiftQuery): Promise<LiftWithExamples> {
    const { accountId, actor: createdBy } = context;
    const id = uuidV7();
    const created = await transactionBefore(this.dataSource, context, async (transaction) => {
      if ((await this.jobs.countPending(accountId, 'lift', transaction)) >= MAX_PENDING_LIFTS) {
        throw new TooManyLiftsError();
      }
      await this.lifts.expirePlans(accountId, transaction);
      await this.jobs.queue({ accountId, id, kind: 'lift', checkpoint: NO_PROGRESS }, transaction);
      await transaction.insert(Lift, { accountId, id, cause: query.cause, query, createdBy });
      const lift = (await this.lifts.find(accountId, id, transaction))!;
      // A diagnostic may quote an address, which the audit log would keep after an erasure.
      const conditions = { ...namesOf(query), diagnostic: undefined };
      await recordAudit(transaction, context, 'lift.created', subjectOf(lift), parametersOf(conditions));
      return lift;
    });
    this.runner.wake();
    return { ...created, examples: [] };
  }

  /** @throws {LiftNotFoundError} */
  async get(accountId: number, id: string): Promise<LiftWithExamples> {
    const lift = requireFound(await this.lifts.find(accountId, id), LiftNotFoundError);
    const examples = await this.lines.examples(accountId, id, lift.progress.count.lastNumber);
    return { ...lift, examples };
  }

  list(accountId: number, limit: number, after?: string): Promise<Page<FoundLift>> {
    return this.lifts.page(accountId, limit, after);
  }

  /** @throws {LiftNotFoundError} */
  async listLines(accountId: number, id: string, page: PageOfLines): Promise<Page<FoundLine>> {
    requireFound(await this.lifts.find(accountId, id), LiftNotFoundError);
    return this.lines.page(accountId, id, page);
  }

  /**
   * Lifts the suppressions that were counted. Repeating the request continues an application that failed, and has no other
   * effect.
   *
   * @throws {LiftNotFoundError | LiftStatusError | ConfirmationRequiredError | ConsentRequiredError}
   */
  async apply(
    context: RequestContext,
    id: string,
    { confirm, ...texts }: Application,
  ): Promise<LiftWithExamples> {
    const { accountId, actor } = context;
    const { status, progress } = await this.get(accountId, id);
    if (status === 'ready') {
      await this.requireConfirmation(context, progress.count.lines, confirm);
    }
    const { consent } = await this.storedNames.renameInTexts(accountId, texts);
    const by: ChangeActor = consent ? { ...actor, evidence: { consent } } : actor;
    return this.requeue(context, id, async (lift, transaction) => {
      // A lift whose count has ended since `status` was read may need a confirmation.
      const isCounting = status === 'counting' || lift.status === 'counting';
      if (isCounting || lift.status === 'expired') {
        throw new LiftStatusError(
          isCounting
            ? 'The lift is still counting. Apply it when its status is ready.'
            : 'The plan of the lift has expired. Create the lift again, so that it is counted again.',
        );
      }
      if (lift.status !== 'ready' && !canContinue(lift)) {
        return false;
      }
      const { removal } = await transaction.findOneByOrFail(Account, { id: accountId });
      if (removal === 'guarded' && !consent) {
        throw new ConsentRequiredError();
      }
      await transaction.update(
        Lift,
        { accountId, id },
        { status: 'applying', appliedBy: by, linesUntil: null },
      );
      const count = lift.progress.count.lines;
      await recordAudit(
        transaction,
        context,
        'lift.applied',
        subjectOf(lift),
        parametersOf({ count, consent: consent?.kind }),
      );
      return true;
    });
  }

  /**
   * Restores the causes that a lift removed and that are still absent. Repeating the request has no further effect.
   *
   * @throws {LiftNotFoundError | LiftStatusError}
   */
  revert(context: RequestContext, id: string): Promise<LiftWithExamples> {
    const { accountId, actor } = context;
    return this.requeue(context, id, async (lift, transaction) => {
      if (lift.status === 'reverting' || lift.status === 'reverted') {
        return false;
      }
      if (lift.status !== 'applied' || !lift.linesUntil) {
        throw new LiftStatusError(
          lift.status === 'applied'
            ? 'The lift was applied more than 30 days ago, so its lines are deleted, or about to be.'
            : `The lift is ${lift.status}. Only a lift that was applied can be reverted.`,
        );
      }
      const begun = { status: 'reverting', revertedBy: actor, linesUntil: null } as const;
      await transaction.update(Lift, { accountId, id }, begun);
      const count = lift.progress.apply?.applied ?? 0;
      await recordAudit(transaction, context, 'lift.reverted', subjectOf(lift), parametersOf({ count }));
      return true;
    });
  }

  /** @throws {ConfirmationRequiredError} */
  private async requireConfirmation(
    context: RequestContext,
    count: number,
    confirm: number | null,
  ): Promise<void> {
    if (confirm === count || (confirm === null && count <= UNCONFIRMED_LINES)) {
      return;
    }
    const { total } = await this.counts.count(context, {}, undefined);
    if (confirm !== null || count > Math.max(UNCONFIRMED_LINES, total * UNCONFIRMED_SHARE)) {
      throw new ConfirmationRequiredError(count);
    }
  }

  /** @param begin - returns whether the job of the locked lift has something to do */
  private async requeue(
    context: RequestContext,
    id: string,
    begin: (lift: FoundLift, transaction: EntityManager) => Promise<boolean>,
  ): Promise<LiftWithExamples> {
    const { accountId } = context;
    await transactionBefore(this.dataSource, context, async (transaction) => {
      const lift = requireFound(await this.lifts.lock(accountId, id, transaction), LiftNotFoundError);
      if (await begin(lift, transaction)) {
        await this.jobs.requeue({ accountId, id, kind: 'lift', checkpoint: {} }, transaction);
      }
    });
    this.runner.wake();
    return this.get(accountId, id);
  }
}

/** Whether an application failed after some of the lines. */
export function canContinue({ status, error, revertedBy, linesUntil }: FoundLift): boolean {
  return status === 'applied' && error !== null && revertedBy === null && linesUntil !== null;
}

function subjectOf(lift: FoundLift): { id: string; name: string } {
  return { id: lift.id, name: titleOf(lift) };
}
