import { Get, Param, Post, Query } from '@nestjs/common';
import { Context, type RequestContext } from '../../../audit/request-context.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { WebhookEventIdPipe, WebhookIdPipe } from '../../../webhooks/id.pipe.js';
import { WebhookDeliveriesService } from '../../../webhooks/webhook-deliveries.service.js';
import { WebhooksService } from '../../../webhooks/webhooks.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { Done } from '../../access/done.js';
import { cursorIn, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { CurrentVisitor } from '../../access/visitor.js';
import type { PageProps } from '../../components/console-page.js';
import type { Visitor } from '../../people/sessions.service.js';
import { DeliveryPage } from './delivery.view.js';

/** Few, since each has up to 2 kB of a response. */
const ATTEMPTS = 5;

@ConsoleController('webhooks/:webhook/deliveries')
@RequireRole('viewer')
export class DeliveriesPageController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  @Get(':event')
  show(
    @CurrentVisitor() visitor: Visitor,
    @Param('webhook', WebhookIdPipe) id: string,
    @Param('event', WebhookEventIdPipe) event: string,
    @Query() query: Fields,
  ): Promise<HtmlResponse> {
    return this.page({ visitor }, id, event, query);
  }

  @Post(':event/replay')
  @RequireRole('editor')
  async replay(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('webhook', WebhookIdPipe) id: string,
    @Param('event', WebhookEventIdPipe) event: string,
  ): Promise<HtmlResponse> {
    return submit(
      async () => {
        await this.deliveries.replay(context, id, event);
        return new Done(
          `/console/webhooks/${id}`,
          'The event is being sent again. Reload this page to see the response.',
        );
      },
      (problem) => this.page({ visitor, problem }, id, event),
    );
  }

  private async page(props: PageProps, id: string, event: string, query?: Fields) {
    const { accountId } = props.visitor;
    const cursor = await cursorIn(query, ATTEMPTS);
    const [webhook, delivery, attempts] = await Promise.all([
      this.webhooks.find(accountId, id),
      this.deliveries.get(accountId, id, event),
      this.deliveries.attempts(accountId, id, event, cursor),
    ]);
    return DeliveryPage({ ...props, webhook, delivery, attempts, cursor });
  }
}
