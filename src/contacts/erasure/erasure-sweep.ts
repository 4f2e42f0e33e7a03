import { Injectable, Logger } from '@nestjs/common';
import { BackgroundTasks, Sweep } from '../../process/background-tasks.js';
import { KeptBlocksUnreadableError } from '../../pseudonyms/errors.js';
import type { Erasure } from './erasure.entity.js';
import { ErasureSteps, type StepOutcome } from './erasure-steps.js';
import { MayBeMailedAgainError } from './errors.js';
import { ErasuresRepository } from './erasures.repository.js';

const INTERVAL_MS = 5_000;
/** How long a pass rewrites tables, so that announced erasures do not wait for many others. */
const REWRITING_MS = 2_000;

/** Continues erasures in every instance. */
@Injectable()
export class ErasureSweep extends Sweep {
  private readonly logger = new Logger(ErasureSweep.name);
  /** The id of the last erasure that rewrote a table. The next pass continues with those after it. */
  private last = '';

  constructor(
    private readonly erasures: ErasuresRepository,
    private readonly steps: ErasureSteps,
    tasks: BackgroundTasks,
  ) {
    super(tasks, { intervalMs: INTERVAL_MS, failure: 'an erasure did not continue' });
  }

  /**
   * Performs a step of each erasure in turn. Announced erasures come first, even if other erasures have been running for
   * minutes, because writes to their addresses are refused until the state has changed. An erasure that waits for other work, or
   * fails, is tried again after the interval, even if others are still running.
   */
  protected async sweep(stopping: AbortSignal): Promise<void> {
    const retriedAt = new Map<string, number>();
    const unexpected: unknown[] = [];
    for (let continues = true; continues;) {
      continues = false;
      const now = performance.now();
      const pending = (await this.erasures.findPending()).filter(
        ({ id }) => (retriedAt.get(id) ?? now) <= now,
      );
      let end: number | undefined;
      for (const erasure of pending.toSorted(byUrgency(this.last))) {
        if (stopping.aborted) {
          return;
        }
        if (erasure.progress!.table !== null) {
          end ??= performance.now() + REWRITING_MS;
          if (performance.now() > end) {
            continues = true;
            break;
          }
          this.last = erasure.id;
        }
        const outcome = await this.step(erasure).catch((error: unknown) => void unexpected.push(error));
        continues ||= outcome === 'continue';
        if (!outcome || (outcome === 'waiting' && !erasure.progress!.isAnnounced)) {
          retriedAt.set(erasure.id, performance.now() + INTERVAL_MS);
        }
      }
    }
    if (unexpected.length > 0) {
      throw unexpected[0];
    }
  }

  /** @returns undefined if the erasure cannot continue */
  private async step(erasure: Erasure): Promise<StepOutcome | undefined> {
    try {
      return await this.steps.next(erasure);
    } catch (error) {
      if (error instanceof MayBeMailedAgainError) {
        this.logger.warn({
          msg: 'an erasure was refused: the address was suppressed meanwhile',
          erasure: erasure.id,
        });
        return undefined;
      }
      if (error instanceof KeptBlocksUnreadableError) {
        this.logger.error({ msg: 'an erasure cannot continue', erasure: erasure.id, reason: error.message });
        return undefined;
      }
      throw error;
    }
  }
}

function byUrgency(last: string): (one: Erasure, other: Erasure) => number {
  const rank = ({ id, progress }: Erasure) => (progress!.table === null ? 0 : id > last ? 1 : 2);
  return (one, other) => rank(one) - rank(other) || (one.id < other.id ? -1 : 1);
}
