import { Get, Param, Post } from '@nestjs/common';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { WebhookEventIdPipe, WebhookIdPipe } from '../../../webhooks/id.pipe.js';
import { WebhookDeliveriesService } from '../../../webhooks/webhook-deliveries.service.js';
import { WebhooksService } from '../../../webhooks/webhooks.service.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, Done, readList, submitChange, type Visit } from '../../access/visit.js';
import { DeliveryPage } from './webhook-deliveries.view.js';

/** Few, since each has up to 2 kB of a response. */
const ATTEMPTS = 5;

@ConsoleController('webhooks/:webhook/deliveries', 'viewer')
export class DeliveriesPageController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  @Get(':event')
  show(
    @CurrentVisit() visit: Visit,
    @Param('webhook', WebhookIdPipe) id: string,
    @Param('event', WebhookEventIdPipe) event: string,
  ): Promise<HtmlResponse> {
    return this.page(visit, id, event);
  }

  @Post(':event/replay')
  @RequireRole('editor')
  replay(
    @CurrentVisit() visit: Visit,
    @Param('webhook', WebhookIdPipe) id: string,
    @Param('event', WebhookEventIdPipe) event: string,
  ): Promise<HtmlResponse> {
    return submitChange(
      visit,
      () => this.deliveries.replay(visit.context, id, event),
      new Done(
        `/console/webhooks/${id}`,
        'The event is being sent again. Reload this page to see the response.',
      ),
      (refused) => this.page(refused, id, event),
    );
  }

  private async page(visit: Visit, id: string, event: string): Promise<HtmlResponse> {
    const { accountId } = visit;
    const [webhook, delivery, attempts] = await Promise.all([
      this.webhooks.find(accountId, id),
      this.deliveries.get(accountId, id, event),
      readList(visit, ATTEMPTS, (cursor) => this.deliveries.attempts(accountId, id, event, cursor)),
    ]);
    return DeliveryPage({ visitor: visit, webhook, delivery, attempts });
  }
}
