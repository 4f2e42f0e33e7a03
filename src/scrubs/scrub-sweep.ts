import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository } from 'typeorm';
import { RETENTION_DAYS } from '../jobs/retention.js';
import type { BackgroundTask } from '../process/background-task.js';
import { BackgroundTasks } from '../process/background-tasks.js';
import { lowestIdAt } from '../suppressions/suppression-id.js';
import { Scrub } from './scrub.entity.js';

const HOUR_MS = 60 * 60 * 1000;
const RETENTION_MS = RETENTION_DAYS * 24 * HOUR_MS;

/** Deletes the counts of scrubs {@link RETENTION_DAYS} after their start. */
@Injectable()
export class ScrubSweep {
  private readonly task: BackgroundTask;

  constructor(@InjectRepository(Scrub) scrubs: Repository<Scrub>, tasks: BackgroundTasks) {
    this.task = tasks.add({
      name: ScrubSweep.name,
      intervalMs: HOUR_MS,
      failure: 'the counts of old scrubs were not deleted',
      run: async () => {
        await scrubs.delete({ id: LessThan(lowestIdAt(Date.now() - RETENTION_MS)) });
      },
    });
  }

  run(): Promise<void> {
    return this.task.run();
  }
}
