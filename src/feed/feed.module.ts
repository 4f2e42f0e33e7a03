import { Module } from '@nestjs/common';
import { ChangesController } from './changes.controller.js';
import { FeedBacklogsRepository } from './feed-backlogs.repository.js';
import { FeedWaiters } from './feed-waiters.js';
import { FeedRepository } from './feed.repository.js';
import { FeedSweep } from './feed-sweep.js';
import { FeedService } from './feed.service.js';

@Module({
  controllers: [ChangesController],
  providers: [FeedService, FeedRepository, FeedBacklogsRepository, FeedWaiters, FeedSweep],
  exports: [FeedService, FeedBacklogsRepository],
})
export class FeedModule {}
