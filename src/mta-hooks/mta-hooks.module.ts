import { Module } from '@nestjs/common';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { MtaHooksController } from './mta-hooks.controller.js';
import { MtaHooksService } from './mta-hooks.service.js';

@Module({
  imports: [SuppressionsModule],
  controllers: [MtaHooksController],
  providers: [MtaHooksService],
})
export class MtaHooksModule {}
