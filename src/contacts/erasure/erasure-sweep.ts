import { Injectable, Logger } from '@nestjs/common';
import type { BackgroundTask } from '../../process/background-task.js';
import { BackgroundTasks } from '../../process/background-tasks.js';
import { OperatorError } from '../../process/operator-error.js';
import type { Erasure } from './erasure.entity.js';
import { ErasureSteps } from './erasure-steps.js';
import { MayBeMailedAgainError } from './errors.js';
import { ErasuresRepository } from './erasures.repository.js';

/** Continues erasures in every instance. */
@Injectable()
export class ErasureSweep {
  private readonly logger = new Logger(ErasureSweep.name);
  private readonly task: BackgroundTask;

  constructor(
    private readonly erasures: ErasuresRepository,
    private readonly steps: ErasureSteps,
    tasks: BackgroundTasks,
  ) {
    this.task = tasks.add({
      name: ErasureSweep.name,
      intervalMs: 5_000,
      failure: 'an erasure did not continue',
      run: (stopping) => this.sweep(stopping),
    });
  }

  run(): Promise<void> {
    return this.task.run();
  }

  private async sweep(stopping: AbortSignal): Promise<void> {
    const errors: unknown[] = [];
    for (const erasure of await this.erasures.findPending()) {
      await this.finish(erasure, stopping).catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) {
      throw errors[0];
    }
  }

  private async finish(erasure: Erasure, stopping: AbortSignal): Promise<void> {
    try {
      while (!stopping.aborted && (await this.steps.next(erasure)) === 'continue') {
        // The next step follows.
      }
    } catch (error) {
      if (error instanceof MayBeMailedAgainError) {
        this.logger.warn({
          msg: 'an erasure was refused: the address was suppressed meanwhile',
          erasure: erasure.id,
        });
        return;
      }
      if (!(error instanceof OperatorError)) {
        throw error;
      }
      this.logger.error({ msg: 'an erasure cannot continue', erasure: erasure.id, reason: error.message });
    }
  }
}
