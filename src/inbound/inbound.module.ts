import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module.js';
import type { Env } from '../config/env.js';
import { localUrl } from '../http/server/listen-address.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { Topic } from '../topics/topic.entity.js';
import { TopicsModule } from '../topics/topics.module.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';
import { InboundController } from './inbound.controller.js';
import { InboundService } from './inbound.service.js';
import { InboxService } from './inbox/inbox.service.js';
import { RetentionSweep } from './inbox/retention-sweep.js';
import { ProjectionService } from './projection/projection.service.js';
import { TopicChoices } from './projection/topic-choices.js';
import { ProviderNetwork } from './providers/provider-network.js';
import { EventTopicsService } from './sources/event-topics.service.js';
import { OptOutMovesService } from './sources/opt-out-moves.service.js';
import { SourceChangesService } from './sources/source-changes.service.js';
import { SourceEventsRepository } from './sources/source-events.repository.js';
import { SourceSecrets } from './sources/source-secrets.js';
import { SourceTopicsService } from './sources/source-topics.service.js';
import { SourceTopic, Source } from './sources/source.entity.js';
import { SourceGuard } from './sources/source.guard.js';
import { BASE_URL, INBOX_RETENTION_DAYS, PROVIDER_URL, SourcesService } from './sources/sources.service.js';

/** Looks up `fetch` at each call, so that a test can replace it. */
const fetchUrl: typeof fetch = (...request) => fetch(...request);

@Module({})
export class InboundModule {
  static forRoot(env: Env): DynamicModule {
    const baseUrl = env.BASE_URL ?? localUrl(env.HOST, env.PORT);
    return {
      module: InboundModule,
      imports: [
        AccountsModule,
        TypeOrmModule.forFeature([Source, SourceTopic, Topic]),
        SuppressionsModule,
        TopicsModule,
      ],
      controllers: [EventsController, InboundController],
      providers: [
        { provide: BASE_URL, useValue: baseUrl.replace(/\/+$/, '') },
        { provide: PROVIDER_URL, useValue: (env.PUBLIC_URL ?? baseUrl).replace(/\/+$/, '') },
        { provide: INBOX_RETENTION_DAYS, useValue: env.INBOX_RETENTION_DAYS },
        { provide: ProviderNetwork, useFactory: () => new ProviderNetwork(fetchUrl) },
        SourceEventsRepository,
        EventsService,
        InboundService,
        InboxService,
        RetentionSweep,
        ProjectionService,
        SourceGuard,
        EventTopicsService,
        OptOutMovesService,
        SourceTopicsService,
        TopicChoices,
        SourceChangesService,
        SourceSecrets,
        SourcesService,
      ],
      exports: [
        EventsService,
        InboxService,
        SourceEventsRepository,
        SourceChangesService,
        SourceSecrets,
        SourcesService,
        SourceTopicsService,
      ],
    };
  }
}
