import { Module } from '@nestjs/common';
import { CountsRepository } from './counts.repository.js';
import { CountsService } from './counts.service.js';

@Module({
  providers: [CountsService, CountsRepository],
  exports: [CountsService],
})
export class CountsModule {}
