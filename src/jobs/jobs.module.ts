import { Module } from '@nestjs/common';
import { JobFiles } from './job-files.js';
import { JobLeasesRepository } from './job-leases.repository.js';
import { JobMetrics } from './job-metrics.js';
import { JobRunner } from './job-runner.js';
import { JobSweep } from './job-sweep.js';
import { JobsRepository } from './jobs.repository.js';

@Module({
  providers: [JobFiles, JobLeasesRepository, JobMetrics, JobRunner, JobSweep, JobsRepository],
  exports: [JobFiles, JobRunner, JobsRepository],
})
export class JobsModule {}
