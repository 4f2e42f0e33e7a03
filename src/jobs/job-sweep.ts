import { Injectable } from '@nestjs/common';
import type { BackgroundTask } from '../process/background-task.js';
import { BackgroundTasks } from '../process/background-tasks.js';
import { JobsRepository } from './jobs.repository.js';

/** Deletes uploads that never ended and jobs whose retention is over. */
@Injectable()
export class JobSweep {
  private readonly task: BackgroundTask;

  constructor(
    private readonly jobs: JobsRepository,
    tasks: BackgroundTasks,
  ) {
    this.task = tasks.add({
      name: JobSweep.name,
      intervalMs: 60_000,
      failure: 'old jobs were not deleted',
      run: (stopping) => this.sweep(stopping),
    });
  }

  run(): Promise<void> {
    return this.task.run();
  }

  private async sweep(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && (await this.jobs.deleteAbandonedUploads())) {
      // The next pass follows.
    }
    while (!stopping.aborted && (await this.jobs.deleteExpired())) {
      // The next pass follows.
    }
  }
}
