import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Env } from '../config/env.js';
import { httpUrl } from '../http/server/listen-address.js';
import { toUrl } from '../process/to-url.js';
import { TopicsModule } from '../topics/topics.module.js';
import { MailIdsRepository } from './mail-ids.repository.js';
import { StoredUnsubscribeKey, UnsubscribeMailId, UnsubscribeSettings } from './unsubscribe-link.entity.js';
import { UnsubscribeKeysService } from './unsubscribe-keys.service.js';
import { UnsubscribeLinksController } from './unsubscribe-links.controller.js';
import { PUBLIC_URL, UnsubscribeLinksService } from './unsubscribe-links.service.js';
import { UnsubscribeSettingsService } from './unsubscribe-settings.service.js';

const ENTITIES = [StoredUnsubscribeKey, UnsubscribeSettings, UnsubscribeMailId];

const SHARED = [
  MailIdsRepository,
  UnsubscribeKeysService,
  UnsubscribeLinksService,
  UnsubscribeSettingsService,
];

@Module({})
export class UnsubscribeLinksModule {
  static forRoot({ PUBLIC_URL: publicUrl, BASE_URL, HOST, PORT }: Env): DynamicModule {
    const given = publicUrl ?? BASE_URL ?? httpUrl(HOST, PORT);
    // A header field cannot have a host in Unicode.
    const url = (toUrl(given)?.href ?? given).replace(/\/+$/, '');
    return {
      module: UnsubscribeLinksModule,
      global: true,
      imports: [TypeOrmModule.forFeature(ENTITIES), TopicsModule],
      controllers: [UnsubscribeLinksController],
      providers: [{ provide: PUBLIC_URL, useValue: url }, ...SHARED],
      exports: SHARED,
    };
  }
}
