import { Module } from '@nestjs/common';
import { ChangesController } from './changes.controller.js';
import { FeedWaiters } from './feed-waiters.js';
import { FeedRepository } from './feed.repository.js';
import { FeedSweep } from './feed-sweep.js';
import { FeedService } from './feed.service.js';

@Module({
  controllers: [ChangesController],
  providers: [FeedService, FeedRepository, FeedWaiters, FeedSweep],
  exports: [FeedService],
})
export class FeedModule {}
