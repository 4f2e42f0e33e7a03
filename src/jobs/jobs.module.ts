import { Module } from '@nestjs/common';
import { JobFiles } from './job-files.js';
import { JobRunner } from './job-runner.js';
import { JobsRepository } from './jobs.repository.js';

@Module({
  providers: [JobFiles, JobRunner, JobsRepository],
  exports: [JobFiles, JobRunner, JobsRepository],
})
export class JobsModule {}
