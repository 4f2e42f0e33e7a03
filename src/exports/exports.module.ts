import { Module } from '@nestjs/common';
import { FeedModule } from '../feed/feed.module.js';
import { ExportPagesRepository } from './export-pages.repository.js';
import { ExportsController } from './exports.controller.js';
import { ExportsService } from './exports.service.js';

@Module({
  imports: [FeedModule],
  controllers: [ExportsController],
  providers: [ExportsService, ExportPagesRepository],
  exports: [ExportsService],
})
export class ExportsModule {}
