import { Injectable } from '@nestjs/common';
import { BackgroundTasks, repeat, type BackgroundTask } from '../process/background-tasks.js';
import { JobFiles } from './job-files.js';
import { JobsRepository } from './jobs.repository.js';

const INTERVAL_MS = 60_000;

/**
 * Deletes files that nobody reads any more, uploads that never ended, and jobs whose retention is over. If one of these fails,
 * the others go on.
 */
@Injectable()
export class JobSweep {
  private readonly tasks: BackgroundTask[];

  constructor(files: JobFiles, jobs: JobsRepository, tasks: BackgroundTasks) {
    const sweep = (what: string, deleteSome: () => Promise<boolean>) =>
      tasks.add({
        name: JobSweep.name,
        intervalMs: INTERVAL_MS,
        failure: `${what} were not deleted`,
        run: (stopping) => repeat(deleteSome, stopping),
      });
    this.tasks = [
      sweep('the files of ended jobs', () => files.deleteSome()),
      sweep('abandoned uploads', () => jobs.deleteAbandonedUploads()),
      sweep('old jobs', () => jobs.deleteExpired()),
    ];
  }

  async run(): Promise<void> {
    for (const task of this.tasks) {
      await task.run();
    }
  }
}
