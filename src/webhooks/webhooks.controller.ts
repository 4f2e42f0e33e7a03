import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { Context, type RequestContext } from '../audit/request-context.js';
import { CursorDto } from '../http/page.js';
import { operations, WebhookEventId, WebhookId } from './operations.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import {
  AttemptsPageDto,
  DeliveriesPageDto,
  ListDeliveriesDto,
  ReplayWebhookDto,
  WebhookEventDto,
  WebhookEventIdDto,
  WebhookEventsPageDto,
} from './webhook-event.dto.js';
import {
  CreateWebhookDto,
  DeletedWebhookDto,
  UpdateWebhookDto,
  WebhookDto,
  WebhookIdDto,
  WebhookSecretDto,
  WebhooksPageDto,
} from './webhook.dto.js';
import { WebhooksService } from './webhooks.service.js';

@Controller('webhooks')
export class WebhooksController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  @Post()
  @operations.createWebhook
  async create(@Context() context: RequestContext, @Body() body: CreateWebhookDto) {
    return new WebhookSecretDto(await this.webhooks.create(context, body.toNewWebhook()));
  }

  @Get()
  @operations.listWebhooks
  async list(@CurrentCaller() { accountId }: Caller, @Query() cursor: CursorDto) {
    return new WebhooksPageDto(await this.webhooks.page(accountId, cursor));
  }

  @Post(':webhook/signing-secret/rotate')
  @operations.rotateSigningSecret
  async rotateSecret(@Context() context: RequestContext, @WebhookId id: string) {
    return new WebhookSecretDto(await this.webhooks.rotateSecret(context, id));
  }

  @Post(':webhook/test')
  @operations.testWebhook
  async test(@Context() context: RequestContext, @WebhookId id: string) {
    return new WebhookEventIdDto({ id: await this.deliveries.test(context, id) });
  }

  @Get(':webhook/events')
  @operations.listWebhookEvents
  async events(@CurrentCaller() { accountId }: Caller, @WebhookId id: string, @Query() cursor: CursorDto) {
    return new WebhookEventsPageDto(await this.deliveries.page(accountId, id, cursor));
  }

  @Get(':webhook/events/:webhook_event')
  @operations.getWebhookEvent
  async event(
    @CurrentCaller() { accountId }: Caller,
    @WebhookId id: string,
    @WebhookEventId eventId: string,
  ) {
    return new WebhookEventDto(await this.deliveries.get(accountId, id, eventId));
  }

  @Get(':webhook/events/:webhook_event/attempts')
  @operations.listWebhookAttempts
  async attempts(
    @CurrentCaller() { accountId }: Caller,
    @WebhookId id: string,
    @WebhookEventId eventId: string,
    @Query() cursor: CursorDto,
  ) {
    return new AttemptsPageDto(await this.deliveries.attempts(accountId, id, eventId, cursor));
  }

  @Post(':webhook/events/:webhook_event/replay')
  @operations.replayWebhookEvent
  async replayEvent(
    @Context() context: RequestContext,
    @WebhookId id: string,
    @WebhookEventId eventId: string,
  ) {
    return new WebhookEventIdDto(await this.deliveries.replay(context, id, eventId));
  }

  @Post(':webhook/replay')
  @operations.replayWebhook
  async replay(
    @Context() context: RequestContext,
    @WebhookId id: string,
    @Body() { since }: ReplayWebhookDto,
  ) {
    return new WebhookIdDto(await this.webhooks.replaySince(context, id, since));
  }

  @Get(':webhook/deliveries')
  @operations.listWebhookDeliveries
  async listDeliveries(
    @CurrentCaller() { accountId }: Caller,
    @WebhookId id: string,
    @Query() query: ListDeliveriesDto,
  ) {
    return new DeliveriesPageDto(await this.deliveries.page(accountId, id, query, query.status));
  }

  @Get(':webhook')
  @operations.getWebhook
  async get(@CurrentCaller() { accountId }: Caller, @WebhookId id: string) {
    return new WebhookDto(await this.webhooks.get(accountId, id));
  }

  @Patch(':webhook')
  @operations.updateWebhook
  async update(@Context() context: RequestContext, @WebhookId id: string, @Body() body: UpdateWebhookDto) {
    return new WebhookIdDto(await this.webhooks.update(context, id, body.toChanges()));
  }

  @Delete(':webhook')
  @operations.deleteWebhook
  async delete(@Context() context: RequestContext, @WebhookId id: string) {
    return new DeletedWebhookDto(await this.webhooks.delete(context, id));
  }
}
