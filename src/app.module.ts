import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccountSettingsModule } from './account-settings/account-settings.module.js';
import { AccountsModule } from './accounts/accounts.module.js';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { BetaApiKeyGuard } from './api-keys/beta-api-key.guard.js';
import { AuditLogModule } from './audit-log/audit-log.module.js';
import { RecentSignInGuard, SessionGuard } from './console/access/session.guards.js';
import { ConsoleModule } from './console/console.module.js';
import { ContactsModule } from './contacts/contacts.module.js';
import { CountsController } from './counts/counts.controller.js';
import { CountsModule } from './counts/counts.module.js';
import { DatabaseModule } from './database/database.module.js';
import { FeedModule } from './feed/feed.module.js';
import { ExportsModule } from './exports/exports.module.js';
import { HealthModule } from './health/health.module.js';
import { RequestGuard, RouteGuard } from './http/route.guards.js';
import { ImportsModule } from './imports/imports.module.js';
import { IncidentsModule } from './incidents/incidents.module.js';
import { InboundModule } from './inbound/inbound.module.js';
import { LiftsModule } from './lifts/lifts.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { ProcessModule } from './process/background-tasks.js';
import { MtaHooksModule } from './mta-hooks/mta-hooks.module.js';
import { ProviderListsModule } from './provider-lists/provider-lists.module.js';
import { OpenRequestsGuard, RateLimitGuard } from './rate-limit/rate-limit.guards.js';
import { PseudonymsModule } from './pseudonyms/pseudonyms.module.js';
import { RateLimitModule } from './rate-limit/rate-limit.module.js';
import { RulesModule } from './rules/rules.module.js';
import { ScrubsModule } from './scrubs/scrubs.module.js';
import { SecretsModule } from './secrets/secrets.module.js';
import { SuppressionsController } from './suppressions/suppressions.controller.js';
import { SuppressionsModule } from './suppressions/suppressions.module.js';
import { TopicsModule } from './topics/topics.module.js';
import { UnsubscribeLinksModule } from './unsubscribe-links/unsubscribe-links.module.js';
import { UnsubscribeModule } from './unsubscribe/unsubscribe.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';
import type { AppEnv } from './app-env.js';
import { SCHEMA } from './schema.js';

/** In the order in which they run: the caller is identified before the request counts and before its body is read. */
const GUARDS = [
  RouteGuard,
  BetaApiKeyGuard,
  SessionGuard,
  RateLimitGuard,
  OpenRequestsGuard,
  RequestGuard,
  RecentSignInGuard,
];

/** Controllers with paths below `/suppressions`, in order: `/suppressions/:suppression` would match `/suppressions/count`. */
const SUPPRESSIONS = [CountsController, SuppressionsController];

@Module({})
export class AppModule {
  static forRoot(env: AppEnv): DynamicModule {
    const { DATABASE_URL, DATABASE_REPLICA_URL, DATABASE_POOL_SIZE, RATE_LIMIT } = env;
    const inbound = InboundModule.forRoot(env);
    const contacts = ContactsModule.forRoot(env);
    const providerLists = ProviderListsModule.forRoot(env);
    return {
      module: AppModule,
      controllers: SUPPRESSIONS,
      providers: [
        RouteGuard,
        RequestGuard,
        ...GUARDS.map((useExisting) => ({ provide: APP_GUARD, useExisting })),
      ],
      imports: [
        DatabaseModule.forRoot(DATABASE_URL, DATABASE_POOL_SIZE, SCHEMA, DATABASE_REPLICA_URL),
        MetricsModule.forRoot(env),
        ProcessModule,
        SecretsModule.forRoot(env),
        PseudonymsModule,
        AccountsModule,
        ApiKeysModule,
        CountsModule,
        SuppressionsModule,
        MtaHooksModule,
        TopicsModule,
        contacts,
        UnsubscribeLinksModule.forRoot(env),
        UnsubscribeModule,
        RulesModule,
        inbound,
        IncidentsModule,
        WebhooksModule.forRoot(env),
        ImportsModule,
        LiftsModule,
        FeedModule,
        ExportsModule,
        ScrubsModule,
        providerLists,
        ConsoleModule.forRoot(env, [inbound, contacts, providerLists]),
        RateLimitModule.forRoot(RATE_LIMIT),
        AccountSettingsModule,
        AuditLogModule,
        HealthModule,
      ],
    };
  }
}
