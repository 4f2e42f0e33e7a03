import { Module } from '@nestjs/common';
import { FeedModule } from '../feed/feed.module.js';
import { ExportPagesRepository } from './export-pages.repository.js';
import { ExportsController } from './exports.controller.js';
import { TopicsModule } from '../topics/topics.module.js';
import { PreferencePagesRepository } from './preference-pages.repository.js';
import { ExportsService } from './exports.service.js';

@Module({
  imports: [FeedModule, TopicsModule],
  controllers: [ExportsController],
  providers: [ExportsService, ExportPagesRepository, PreferencePagesRepository],
  exports: [ExportsService],
})
export class ExportsModule {}
