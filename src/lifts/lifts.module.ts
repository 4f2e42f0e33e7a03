import { Module } from '@nestjs/common';
import { CountsModule } from '../counts/counts.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { ApplyLift } from './apply-lift.js';
import { CountLift } from './count-lift.js';
import { LiftJob } from './lift-job.js';
import { LiftLinesRepository } from './lift-lines.repository.js';
import { LiftSweep } from './lift-sweep.js';
import { LiftsController } from './lifts.controller.js';
import { LiftsRepository } from './lifts.repository.js';
import { LiftsService } from './lifts.service.js';
import { RevertLift } from './revert-lift.js';

@Module({
  imports: [CountsModule, JobsModule, SuppressionsModule],
  controllers: [LiftsController],
  providers: [
    LiftsService,
    LiftsRepository,
    LiftLinesRepository,
    CountLift,
    ApplyLift,
    RevertLift,
    LiftJob,
    LiftSweep,
  ],
  exports: [LiftsService],
})
export class LiftsModule {}
