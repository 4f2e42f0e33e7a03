import { Module } from '@nestjs/common';
import { ExportPagesRepository } from './export-pages.repository.js';
import { ExportsController } from './exports.controller.js';
import { ExportsService } from './exports.service.js';

@Module({
  controllers: [ExportsController],
  providers: [ExportsService, ExportPagesRepository],
})
export class ExportsModule {}
