import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Env } from '../config/env.js';
import { networksIn } from '../config/networks.js';
import { FeedModule } from '../feed/feed.module.js';
import { DeliveryRecorder } from './delivery/delivery-recorder.js';
import { DeliverySweep } from './delivery/delivery-deletion.js';
import { DeliveryWorker } from './delivery/delivery-worker.js';
import { EndpointDelivery } from './delivery/endpoint-delivery.js';
import { WebhookLeases } from './delivery/webhook-leases.js';
import { WebhookLeasesRepository } from './delivery/webhook-leases.repository.js';
import { WebhookMetrics } from './delivery/webhook-metrics.js';
import { WebhookClient } from './endpoint/webhook-client.js';
import { SigningSecrets } from './signing-secrets.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { WebhookDelivery } from './webhook-delivery.entity.js';
import { Webhook } from './webhook.entity.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

@Module({})
export class WebhooksModule {
  static forRoot({ WEBHOOK_ALLOWED_NETWORKS }: Env): DynamicModule {
    const networks = networksIn(WEBHOOK_ALLOWED_NETWORKS);
    return {
      module: WebhooksModule,
      global: true,
      imports: [TypeOrmModule.forFeature([Webhook, WebhookDelivery]), FeedModule],
      controllers: [WebhooksController],
      providers: [
        DeliveryRecorder,
        DeliverySweep,
        DeliveryWorker,
        EndpointDelivery,
        SigningSecrets,
        { provide: WebhookClient, useFactory: () => new WebhookClient(networks) },
        WebhookDeliveriesService,
        WebhookLeases,
        WebhookLeasesRepository,
        WebhookMetrics,
        WebhookSecrets,
        WebhooksService,
      ],
      exports: [WebhookDeliveriesService, WebhookSecrets, WebhooksService],
    };
  }
}
