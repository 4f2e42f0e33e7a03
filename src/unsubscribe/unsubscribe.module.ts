import { Global, Module } from '@nestjs/common';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { TopicsModule } from '../topics/topics.module.js';
import { LinksService } from './links.service.js';
import { OptOutsService } from './opt-outs.service.js';
import { PreferencesPageService } from './preferences-page.service.js';
import { UnsubscribeController } from './unsubscribe.controller.js';

@Global()
@Module({
  imports: [SuppressionsModule, TopicsModule],
  controllers: [UnsubscribeController],
  providers: [LinksService, OptOutsService, PreferencesPageService],
  exports: [LinksService, OptOutsService],
})
export class UnsubscribeModule {}
