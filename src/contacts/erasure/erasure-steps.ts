import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { afterCommit } from '../../database/after-commit.js';
import { transactionBefore } from '../../database/transaction.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { QuotedAddress } from '../../email-address/quoted-address.js';
import { Metrics } from '../../metrics/metrics.js';
import { firstKeyOf } from '../data/place.js';
import { PlaceReader } from '../data/place-reader.js';
import type { Erasure, Progress } from './erasure.entity.js';
import { ErasuresRepository } from './erasures.repository.js';
import { eraseState } from './first-step.js';
import { MayBeMailedAgainError } from './errors.js';
import { Pseudonyms } from './pseudonyms.js';
import { REWRITES } from './rewrites.js';

const STEP_MS = 4_000;

/** `waiting`: for other work, which takes seconds or minutes. */
export type StepOutcome = 'continue' | 'waiting' | 'ended';

/** Does the steps of erasures. Each one is a transaction with its progress, so one that is cut off never happened. */
@Injectable()
export class ErasureSteps {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly erasures: ErasuresRepository,
    private readonly pseudonyms: Pseudonyms,
    private readonly places: PlaceReader,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Does the next step, unless another instance does it.
   *
   * @throws {MayBeMailedAgainError} if the address was suppressed since the request, which did not accept that
   * @throws {UnreadableSecretError} if the address was encrypted with another SECRETS_KEY
   */
  async next({ accountId, id }: Erasure, deadline = Infinity): Promise<StepOutcome> {
    const erasure = await this.erasures.get(accountId, id);
    if (erasure.completedAt) {
      return 'ended';
    }
    const email = this.pseudonyms.decrypt(erasure);
    const quoted = new QuotedAddress(email);
    if (await this.mustWait(erasure, email, quoted)) {
      return 'waiting';
    }
    const end = Math.min(deadline, performance.now() + STEP_MS);
    try {
      return await transactionBefore(this.dataSource, end, async (transaction) => {
        const locked = await this.erasures.lock(erasure, transaction);
        if (!locked) {
          return 'ended';
        }
        const progress = await this.step(locked, email, quoted, transaction);
        return progress ? 'continue' : 'ended';
      });
    } catch (error) {
      if (error instanceof MayBeMailedAgainError) {
        await this.erasures.deleteRefused(erasure);
      }
      throw error;
    }
  }

  private async mustWait(erasure: Erasure, email: EmailAddress, quoted: QuotedAddress): Promise<boolean> {
    const { accountId, progress } = erasure;
    if (progress!.table !== null) {
      return this.erasures.isMovingAt(accountId, email);
    }
    if (await this.erasures.hasEarlierWork(erasure)) {
      return true;
    }
    const jobIds = new Set<string>();
    for await (const rows of this.places.readFiles(accountId, quoted)) {
      rows.forEach(({ row }) => jobIds.add(row.job_id as string));
    }
    if (jobIds.size > 0) {
      await this.erasures.expireFiles(accountId, [...jobIds]);
    }
    return jobIds.size > 0;
  }

  /** @returns what remains to be done; null if nothing does */
  private async step(
    erasure: Erasure,
    email: EmailAddress,
    quoted: QuotedAddress,
    transaction: EntityManager,
  ): Promise<Progress | null> {
    const { accountId, actor } = erasure;
    const { replacement, before, table, after } = erasure.progress!;
    if (table === null) {
      const { counts, changes, endedAt } = await eraseState(transaction, erasure, email);
      afterCommit(transaction, () => this.metrics.countChanges(actor.type, changes));
      return this.save(
        erasure,
        counts,
        { ...erasure.progress!, before: endedAt, table: REWRITES[0]!.place.table, after: null },
        transaction,
      );
    }
    const index = REWRITES.findIndex(({ place }) => place.table === table);
    const { place, statement } = REWRITES[index]!;
    const key = after ?? firstKeyOf(place);
    const [rewritten] = await statement.run(transaction, [
      accountId,
      email,
      ...quoted.parameters,
      replacement,
      before,
      ...key,
    ]);
    const { count, last } = rewritten!;
    const next = last ? table : REWRITES[index + 1]?.place.table;
    const progress = next === undefined ? null : { ...erasure.progress!, table: next, after: last };
    return this.save(erasure, { [table]: count }, progress, transaction);
  }

  private async save(
    erasure: Erasure,
    counts: Record<string, number>,
    progress: Progress | null,
    transaction: EntityManager,
  ): Promise<Progress | null> {
    await this.erasures.save(erasure, counts, progress, transaction);
    return progress;
  }
}
