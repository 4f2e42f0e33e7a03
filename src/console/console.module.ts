import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module.js';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { AuditLogModule } from '../audit-log/audit-log.module.js';
import type { Env } from '../config/env.js';
import { CountsModule } from '../counts/counts.module.js';
import { ExportsModule } from '../exports/exports.module.js';
import { localUrl } from '../http/server/listen-address.js';
import { ImportsModule } from '../imports/imports.module.js';
import { IncidentsModule } from '../incidents/incidents.module.js';
import { LiftsModule } from '../lifts/lifts.module.js';
import { RulesModule } from '../rules/rules.module.js';
import { SuppressionsModule } from '../suppressions/suppressions.module.js';
import { TopicsModule } from '../topics/topics.module.js';
import { KeptForms } from './access/kept-forms.js';
import { RecentSignInGuard, SessionGuard } from './access/session.guards.js';
import { SignInAttempts } from './access/sign-in-attempts.js';
import { CONSOLE_SETTINGS, type ConsoleSettings } from './console-settings.js';
import { OidcController } from './oidc/oidc.controller.js';
import { oidcProvider } from './oidc/oidc-sign-in.js';
import { ApiKeysController } from './pages/api-keys.controller.js';
import { ImportsPageController } from './pages/imports/imports.controller.js';
import { IncidentsPageController } from './pages/incidents/incidents.controller.js';
import { LiftsPageController } from './pages/lifts/lifts.controller.js';
import { ListController } from './pages/list.controller.js';
import { OverviewController } from './pages/overview/overview.controller.js';
import { Overviews } from './pages/overview/overviews.js';
import { PeopleController } from './pages/people.controller.js';
import { PlansPageController } from './pages/provider-lists/plans.controller.js';
import { ProviderListPages } from './pages/provider-lists/provider-list-pages.js';
import { ProviderListsPageController } from './pages/provider-lists/provider-lists.controller.js';
import { RulesPageController } from './pages/rules.controller.js';
import { AddressAnswers } from './pages/search/address-answers.js';
import { PersonalDataController } from './pages/search/personal-data.controller.js';
import { AddressController } from './pages/search/address.controller.js';
import { SearchController } from './pages/search/search.controller.js';
import { SettingsController } from './pages/settings.controller.js';
import { SignInController } from './pages/sign-in.controller.js';
import { SourcesPageController } from './pages/sources/sources.controller.js';
import { TopicsPageController } from './pages/topics.controller.js';
import { UnknownPageController } from './pages/unknown-page.controller.js';
import { DeliveriesPageController } from './pages/webhooks/deliveries.controller.js';
import { WebhooksPageController } from './pages/webhooks/webhooks.controller.js';
import { AuditLogPageController } from './pages/audit-log.controller.js';
import { ConsoleSession, Person, SignInLink } from './people/person.entity.js';
import { IdentitiesService } from './people/identities.service.js';
import { PeopleService } from './people/people.service.js';
import { SessionsService } from './people/sessions.service.js';
import { SignInSweep } from './people/sign-in-sweep.js';

@Module({})
export class ConsoleModule {
  /** @param features - the modules that are configured elsewhere, with the services of the pages */
  static forRoot(env: Env, features: DynamicModule[]): DynamicModule {
    const { BASE_URL, HOST, PORT, OIDC_ISSUER } = env;
    const settings: ConsoleSettings = {
      baseUrl: BASE_URL?.replace(/\/+$/, '') ?? localUrl(HOST, PORT),
      hasOidc: OIDC_ISSUER !== undefined,
    };
    return {
      module: ConsoleModule,
      imports: [
        TypeOrmModule.forFeature([Person, SignInLink, ConsoleSession]),
        ...features,
        AccountsModule,
        ApiKeysModule,
        AuditLogModule,
        CountsModule,
        ExportsModule,
        ImportsModule,
        IncidentsModule,
        LiftsModule,
        RulesModule,
        SuppressionsModule,
        TopicsModule,
      ],
      controllers: [
        OidcController,
        SignInController,
        SearchController,
        AddressController,
        PersonalDataController,
        ListController,
        TopicsPageController,
        RulesPageController,
        ImportsPageController,
        LiftsPageController,
        ProviderListsPageController,
        PlansPageController,
        SourcesPageController,
        WebhooksPageController,
        DeliveriesPageController,
        OverviewController,
        IncidentsPageController,
        SettingsController,
        ApiKeysController,
        PeopleController,
        AuditLogPageController,
        UnknownPageController,
      ],
      providers: [
        { provide: CONSOLE_SETTINGS, useValue: settings },
        SessionGuard,
        RecentSignInGuard,
        KeptForms,
        oidcProvider(env, settings.baseUrl),
        AddressAnswers,
        Overviews,
        IdentitiesService,
        PeopleService,
        ProviderListPages,
        SessionsService,
        SignInAttempts,
        SignInSweep,
      ],
      exports: [SessionGuard, RecentSignInGuard],
    };
  }
}
