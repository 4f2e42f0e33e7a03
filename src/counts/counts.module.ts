import { Module } from '@nestjs/common';
import { CountsRepository } from './counts.repository.js';
import { CountsService } from './counts.service.js';
import { TotalsRepository } from './totals.repository.js';
import { TotalsSweep } from './totals-sweep.js';

@Module({
  providers: [CountsService, CountsRepository, TotalsRepository, TotalsSweep],
  exports: [CountsService],
})
export class CountsModule {}
