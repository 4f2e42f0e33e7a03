import { Injectable } from '@nestjs/common';
import type { BackgroundTask } from '../process/background-task.js';
import { BackgroundTasks } from '../process/background-tasks.js';
import { HeldWebhooksRepository } from './held-webhooks.repository.js';

/** Deletes deliveries that ended more than 30 days ago. */
@Injectable()
export class DeliverySweep {
  private readonly task: BackgroundTask;

  constructor(
    private readonly repository: HeldWebhooksRepository,
    tasks: BackgroundTasks,
  ) {
    this.task = tasks.add({
      name: DeliverySweep.name,
      intervalMs: 60_000,
      failure: 'old webhook deliveries were not deleted',
      run: (stopping) => this.sweep(stopping),
    });
  }

  run(): Promise<void> {
    return this.task.run();
  }

  private async sweep(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && (await this.repository.deleteExpired())) {
      // The next batch follows.
    }
  }
}
