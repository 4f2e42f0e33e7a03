import { Module } from '@nestjs/common';
import { CountsController } from './counts.controller.js';
import { CountsRepository } from './counts.repository.js';
import { CountsService } from './counts.service.js';

/** Registered before the suppressions, whose route `/suppressions/:suppression` would take these paths. */
@Module({
  controllers: [CountsController],
  providers: [CountsService, CountsRepository],
  exports: [CountsService],
})
export class CountsModule {}
