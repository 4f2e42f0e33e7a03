import { Module, type DynamicModule } from '@nestjs/common';
import type { Env } from '../config/env.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { TopicsModule } from '../topics/topics.module.js';
import { LinksService } from './links.service.js';
import { OptOutsService } from './opt-outs.service.js';
import { PreferencesPageService } from './preferences-page.service.js';
import { TRUSTS_PROXIES, UnsubscribeController } from './unsubscribe.controller.js';

@Module({})
export class UnsubscribeModule {
  static forRoot({ TRUST_PROXY }: Env): DynamicModule {
    return {
      module: UnsubscribeModule,
      global: true,
      imports: [SuppressionsModule, TopicsModule],
      controllers: [UnsubscribeController],
      providers: [
        { provide: TRUSTS_PROXIES, useValue: TRUST_PROXY !== undefined },
        LinksService,
        OptOutsService,
        PreferencesPageService,
      ],
      exports: [LinksService, OptOutsService],
    };
  }
}
