import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Env } from '../config/env.js';
import { networksIn } from '../config/networks.js';
import { FeedModule } from '../feed/feed.module.js';
import { ImportsModule } from '../imports/imports.module.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { ListReader } from './client/list-reader.js';
import { ProviderClient } from './client/provider-client.js';
import { ComparisonEnd } from './comparison/comparison-end.js';
import { CompareJob } from './comparison/compare-job.js';
import { ComparisonRepository } from './comparison/comparison.repository.js';
import { EntriesRepository } from './comparison/entries.repository.js';
import { LinesRepository } from './plans/lines.repository.js';
import { ListCredentials } from './list-credentials.js';
import { ListTestService } from './list-test.service.js';
import { PlanSweep } from './plans/plan-sweep.js';
import { PlansRepository } from './plans/plans.repository.js';
import { PlansService } from './plans/plans.service.js';
import { PullJob } from './plans/pull-job.js';
import { ProviderListMetrics } from './provider-list-metrics.js';
import { ProviderListPlan } from './plans/provider-list-plan.entity.js';
import { ProviderList } from './provider-list.entity.js';
import { ProviderListsController } from './provider-lists.controller.js';
import { ProviderListsService } from './provider-lists.service.js';
import { LIST_PROVIDER_NAMES } from './providers/providers.js';
import { DroppedPushesRepository } from './push/dropped-pushes.repository.js';
import { FanOut } from './push/fan-out.js';
import { ListRemovalsRepository } from './push/list-removals.repository.js';
import { ListRemovalsService } from './push/list-removals.service.js';
import { OutboxRepository } from './push/outbox.repository.js';
import { PlanQueue } from './push/plan-queue.js';
import { PushLeasesRepository } from './push/push-leases.repository.js';
import { PushPauses } from './push/push-pauses.js';
import { PushSender } from './push/push-sender.js';
import { PushStatesRepository } from './push/push-states.repository.js';
import { PushWorker } from './push/push-worker.js';
import { PushesRepository } from './push/pushes.repository.js';
import { PushesService } from './push/pushes.service.js';
import { ScheduledPlans } from './plans/scheduled-plans.js';

@Module({})
export class ProviderListsModule {
  static forRoot(env: Env): DynamicModule {
    const origins = Object.fromEntries(
      LIST_PROVIDER_NAMES.map((name) => {
        const variable = name.toUpperCase() as Uppercase<typeof name>;
        return [name, env[`PROVIDER_API_URL_${variable}`]];
      }),
    );
    const networks = networksIn(env.WEBHOOK_ALLOWED_NETWORKS);
    return {
      module: ProviderListsModule,
      imports: [
        TypeOrmModule.forFeature([ProviderList, ProviderListPlan]),
        FeedModule,
        ImportsModule,
        JobsModule,
      ],
      controllers: [ProviderListsController],
      providers: [
        CompareJob,
        ComparisonEnd,
        ComparisonRepository,
        DroppedPushesRepository,
        EntriesRepository,
        FanOut,
        LinesRepository,
        ListRemovalsRepository,
        ListRemovalsService,
        ListCredentials,
        ListReader,
        ListTestService,
        OutboxRepository,
        PlanQueue,
        PlanSweep,
        PlansRepository,
        PlansService,
        { provide: ProviderClient, useFactory: () => new ProviderClient(networks, origins) },
        ProviderListMetrics,
        ProviderListsService,
        PullJob,
        PushLeasesRepository,
        PushPauses,
        PushSender,
        PushStatesRepository,
        PushWorker,
        PushesRepository,
        PushesService,
        ScheduledPlans,
      ],
      exports: [ListCredentials, ListRemovalsService, ListTestService, PlansService, ProviderListsService],
    };
  }
}
