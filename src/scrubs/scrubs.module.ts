import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { ScrubSweep } from './scrub-sweep.js';
import { Scrub } from './scrub.entity.js';
import { ScrubsController } from './scrubs.controller.js';
import { ScrubsService } from './scrubs.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Scrub]), SuppressionsModule],
  controllers: [ScrubsController],
  providers: [ScrubsService, ScrubSweep],
})
export class ScrubsModule {}
