import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { renewRulesVersion } from '../../accounts/rules-version.js';
import { parametersOf, recordAudit } from '../../audit/record-audit.js';
import { afterCommit, STEP_MS, transactionBefore } from '../../database/transaction.js';
import { STATEMENT_TIMEOUT_MS } from '../../database/connections.js';
import { Metrics } from '../../metrics/metrics.js';
import { KeptBlocksRepository } from '../../pseudonyms/kept-blocks.repository.js';
import { StoredNames } from '../../pseudonyms/stored-names.js';
import { firstKeyOf } from '../data/place.js';
import { Announcement, Pseudonyms, subjectOf, type Subject } from './pseudonyms.js';
import type { Erasure, Progress } from './erasure.entity.js';
import { ErasuresRepository } from './erasures.repository.js';
import { OtherWork } from './other-work.js';
import { eraseState } from './first-step.js';
import { MayBeMailedAgainError } from './errors.js';
import { pseudonymizeState } from './kept-state.js';
import { Strays } from './strays.js';
import { REWRITES, REWRITES_WITH_BLOCK } from './rewrites.js';

/** The time reserved for the response after the steps of a request. */
export const MARGIN_MS = 1_500;
/** How long a transaction rewrites rows, which stay locked meanwhile. */
const REWRITING_MS = 500;
/** The upper bound of row ids if the replacement is a pseudonym: new rows also get it, so rows of any age may have it. */
const NO_LIMIT = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/**
 * Rows that could bring the address back while it is being erased. The ids of `mailto:` links are deleted later, because an
 * erasure that is refused meanwhile must not lose the opt-outs that are sent to them.
 */
const DELETED_FIRST = REWRITES.filter(
  ({ place }) => place.erasure === 'delete' && place.table !== 'unsubscribe_mail_ids',
);
const DELIVERIES = 'webhook_deliveries';
const FIRST_REWRITTEN = REWRITES[0]!.place.table;
/** Where a complete erasure begins. */
export const FIRST_TABLE = DELETED_FIRST[0]!.place.table;

/** `waiting`: the erasure waits for other work, which takes seconds or minutes. */
export type StepOutcome = 'continue' | 'waiting' | 'ended';

/** Performs the steps of erasures. A step and its progress are one transaction, so an interrupted step has no effect. */
@Injectable()
export class ErasureSteps {
  constructor(
    private readonly dataSource: DataSource,
    private readonly erasures: ErasuresRepository,
    private readonly pseudonyms: Pseudonyms,
    private readonly blocks: KeptBlocksRepository,
    private readonly storedNames: StoredNames,
    private readonly strays: Strays,
    private readonly announcement: Announcement,
    private readonly otherWork: OtherWork,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Performs the next step, unless another instance does.
   *
   * @throws {MayBeMailedAgainError} if the address was suppressed since the request, which did not accept that
   * @throws {KeptBlocksUnreadableError} if the address was encrypted with another SECRETS_KEY
   */
  async next({ accountId, id }: Erasure, deadline = Infinity): Promise<StepOutcome> {
    const erasure = await this.erasures.get(accountId, id);
    if (erasure.completedAt) {
      return 'ended';
    }
    const subject = subjectOf(erasure, await this.pseudonyms.addressOf(erasure));
    if (await this.mustWait(erasure, subject, deadline - MARGIN_MS)) {
      return 'waiting';
    }
    const end = Math.min(deadline, performance.now() + STEP_MS);
    await this.renewVersions(erasure);
    try {
      return await transactionBefore(this.dataSource, { accountId, deadline: end }, async (transaction) => {
        const locked = await this.erasures.lock(erasure, transaction);
        if (!locked) {
          return 'ended';
        }
        if (!isDeepStrictEqual(locked.progress, erasure.progress)) {
          return 'continue';
        }
        return (await this.steps(locked, subject, end, transaction)) ? 'continue' : 'ended';
      });
    } catch (error) {
      if (error instanceof MayBeMailedAgainError) {
        await this.erasures.deleteRefused(erasure);
      }
      throw error;
    } finally {
      this.storedNames.forget(accountId);
    }
  }

  /**
   * Renews the versions of the data that the last step changed. With several database servers, the versions are on another
   * server, so a renewal within the step may be lost although the step is committed. A renewal here cannot be lost, because the
   * next step runs only after it succeeds.
   */
  private async renewVersions(erasure: Erasure): Promise<void> {
    const { accountId, counts, progress } = erasure;
    const { table, after, isPreparing } = progress!;
    if (this.announcement.hasBegun(erasure)) {
      await this.blocks.renewVersion(accountId);
    }
    if (table === FIRST_REWRITTEN && after === null && !isPreparing && counts.rules) {
      await renewRulesVersion(this.dataSource.manager, accountId);
    }
  }

  /** Only the announcement waits for earlier work: work that continues after it knows the pseudonym. */
  private async mustWait(erasure: Erasure, subject: Subject, end: number): Promise<boolean> {
    const { accountId, pseudonym } = erasure;
    const { table, isPreparing, isAnnounced } = erasure.progress!;
    if (isPreparing || this.announcement.hasBegun(erasure)) {
      return false;
    }
    if (table !== null) {
      return this.otherWork.isMovingOrDelivering(erasure, subject);
    }
    return isAnnounced
      ? !(await this.blocks.isKnownEverywhere(accountId, pseudonym))
      : this.otherWork.mustEndBefore(erasure, subject, end);
  }

  /** Rewrites as much of a table as the time of a transaction allows. */
  private async steps(
    erasure: Erasure,
    subject: Subject,
    end: number,
    transaction: EntityManager,
  ): Promise<Progress | null> {
    const pause = Math.min(end - STATEMENT_TIMEOUT_MS / 2, performance.now() + REWRITING_MS);
    for (;;) {
      const progress = await this.step(erasure, subject, transaction);
      if (!progress?.after || performance.now() >= pause) {
        return progress;
      }
      erasure.progress = progress;
    }
  }

  /** @returns what remains to be done; null if nothing does */
  private async step(
    erasure: Erasure,
    subject: Subject,
    transaction: EntityManager,
  ): Promise<Progress | null> {
    const { table } = erasure.progress!;
    if (table !== null) {
      return this.rewrite(erasure, table, subject, transaction);
    }
    return this.announcement.isNeeded(erasure)
      ? this.erasures.save(
          erasure,
          {},
          await this.announcement.step(erasure, subject, transaction),
          transaction,
        )
      : this.changeState(erasure, subject, transaction);
  }

  private async changeState(
    erasure: Erasure,
    subject: Subject,
    transaction: EntityManager,
  ): Promise<Progress | null> {
    const { accountId, actor, keepBlock, pseudonym, reference } = erasure;
    const progress = erasure.progress!;
    const next = { ...progress, table: FIRST_REWRITTEN, after: null };
    await transaction.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [accountId]);
    const subjectOfAudit = { id: erasure.id, name: 'contact' };
    const parameters = parametersOf({ keepBlock, reference });
    await recordAudit(transaction, { accountId, actor }, 'contact.erased', subjectOfAudit, parameters);
    if (keepBlock && subject.email === pseudonym) {
      return this.erasures.save(erasure, {}, null, transaction);
    }
    await this.otherWork.lockMoves(accountId, transaction);
    if (keepBlock) {
      await this.otherWork.restartMoves(accountId, transaction);
      const strayId = await this.strays.merge(transaction, erasure, subject.email);
      const counts = await pseudonymizeState(transaction, erasure, subject, strayId);
      await this.blocks.markRenamed(accountId, pseudonym, transaction);
      return this.erasures.save(erasure, counts, { ...next, before: NO_LIMIT }, transaction);
    }
    const { counts, changes, endedAt } = await eraseState(transaction, erasure, subject.email);
    if (progress.wasKept) {
      await this.blocks.delete(accountId, pseudonym, transaction);
    }
    afterCommit(transaction, () => this.metrics.countChanges(actor.type, changes));
    return this.erasures.save(erasure, counts, { ...next, before: endedAt }, transaction);
  }

  private async rewrite(
    erasure: Erasure,
    table: string,
    { email, quoted }: Subject,
    transaction: EntityManager,
  ): Promise<Progress | null> {
    const { accountId, keepBlock } = erasure;
    const progress = erasure.progress!;
    const rewrites = progress.isPreparing ? DELETED_FIRST : keepBlock ? REWRITES_WITH_BLOCK : REWRITES;
    const index = rewrites.findIndex(({ place }) => place.table === table);
    if (index < 0) {
      // An earlier version began with another table.
      const first = { ...progress, table: rewrites[0]!.place.table, after: null };
      return this.erasures.save(erasure, {}, first, transaction);
    }
    const { place, statement } = rewrites[index]!;
    const [rewritten] = await statement.run(transaction, [
      accountId,
      email,
      ...quoted.parameters,
      progress.replacement,
      progress.before ?? NO_LIMIT,
      ...(progress.after ?? firstKeyOf(place)),
    ]);
    const { count, last } = rewritten!;
    const next = last ? table : rewrites[index + 1]?.place.table;
    const counts = { [table]: count };
    if (next === undefined && progress.isPreparing) {
      return this.erasures.save(
        erasure,
        counts,
        { ...progress, isPreparing: false, table: null, after: null },
        transaction,
      );
    }
    if (next !== undefined) {
      return this.erasures.save(erasure, counts, { ...progress, table: next, after: last }, transaction);
    }
    const deliveringSince = progress.deliveringSince
      ? null
      : await this.otherWork.deliveringAt(accountId, null, transaction);
    const lastPass = deliveringSince && { ...progress, table: DELIVERIES, after: null, deliveringSince };
    return this.erasures.save(erasure, counts, lastPass || null, transaction);
  }
}
