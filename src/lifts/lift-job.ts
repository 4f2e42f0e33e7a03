import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { JobStatus } from '../jobs/job.entity.js';
import type { JobHandler, JobKey, RunningJob } from '../jobs/job-handler.js';
import { JobRunner } from '../jobs/job-runner.js';
import { ApplyLift } from './apply-lift.js';
import { CountLift } from './count-lift.js';
import { LiftLinesRepository } from './lift-lines.repository.js';
import { LiftsRepository } from './lifts.repository.js';
import { RevertLift } from './revert-lift.js';

/** Counts, applies, or reverts a lift, whichever its status says. */
@Injectable()
export class LiftJob implements JobHandler {
  constructor(
    runner: JobRunner,
    private readonly lifts: LiftsRepository,
    private readonly lines: LiftLinesRepository,
    private readonly count: CountLift,
    private readonly apply: ApplyLift,
    private readonly revert: RevertLift,
  ) {
    runner.register('lift', this);
  }

  async run(job: RunningJob): Promise<JobStatus> {
    const lift = (await this.lifts.find(job.accountId, job.id))!;
    switch (lift.status) {
      case 'counting':
        await this.count.run(job, lift);
        break;
      case 'applying':
        await this.apply.run(job, lift);
        break;
      case 'reverting':
        await this.revert.run(job, lift);
    }
    return 'completed';
  }

  async onEnd({ accountId, id }: JobKey, status: JobStatus, transaction: EntityManager): Promise<void> {
    const lift = (await this.lifts.find(accountId, id, transaction))!;
    const largest = lift.largest ?? (await this.lines.findLargest(accountId, id, transaction));
    await this.lifts.endStep(accountId, { ...lift, largest }, status === 'completed', transaction);
  }
}
