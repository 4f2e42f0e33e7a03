import { Module } from '@nestjs/common';
import { FeedRepository } from './feed.repository.js';
import { FeedService } from './feed.service.js';

@Module({
  providers: [FeedService, FeedRepository],
  exports: [FeedService],
})
export class FeedModule {}
