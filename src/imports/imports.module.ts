import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs/jobs.module.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { TopicsModule } from '../topics/topics.module.js';
import { ChunkWriter } from './chunk-writer.js';
import { ImportJob } from './import-job.js';
import { ImportsController } from './imports.controller.js';
import { ImportsRepository } from './imports.repository.js';
import { ImportsService } from './imports.service.js';
import { RevertJob } from './revert-job.js';

@Module({
  imports: [JobsModule, SuppressionsModule, TopicsModule],
  controllers: [ImportsController],
  providers: [ImportsService, ImportsRepository, ChunkWriter, ImportJob, RevertJob],
  exports: [ChunkWriter, ImportsService],
})
export class ImportsModule {}
