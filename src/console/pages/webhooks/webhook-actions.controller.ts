import { Param, Post } from '@nestjs/common';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { WebhookIdPipe } from '../../../webhooks/id.pipe.js';
import { ReplayWebhookDto } from '../../../webhooks/webhook-event.dto.js';
import { WebhookDeliveriesService } from '../../../webhooks/webhook-deliveries.service.js';
import { WebhooksService } from '../../../webhooks/webhooks.service.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, readAs, type Visit } from '../../access/visit.js';
import { textOf } from '../../components/form.js';
import { WebhookPages } from './webhook-pages.js';

@ConsoleController('webhooks/:webhook', 'editor')
export class WebhookActionsController {
  constructor(
    private readonly pages: WebhookPages,
    private readonly webhooks: WebhooksService,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  @Post('test')
  test(@CurrentVisit() visit: Visit, @Param('webhook', WebhookIdPipe) id: string): Promise<HtmlResponse> {
    return this.pages.change(
      visit,
      id,
      'A test event is being sent. Reload this page to see the response of the endpoint.',
      () => this.deliveries.test(visit.context, id),
    );
  }

  @Post('enable')
  enable(@CurrentVisit() visit: Visit, @Param('webhook', WebhookIdPipe) id: string): Promise<HtmlResponse> {
    return this.pages.change(visit, id, 'The webhook is enabled.', () =>
      this.webhooks.update(visit.context, id, { status: 'enabled' }),
    );
  }

  @Post('disable')
  disable(@CurrentVisit() visit: Visit, @Param('webhook', WebhookIdPipe) id: string): Promise<HtmlResponse> {
    return this.pages.change(visit, id, 'The webhook is disabled.', () =>
      this.webhooks.update(visit.context, id, { status: 'disabled' }),
    );
  }

  @Post('secret')
  @RequireRole('admin', { recent: true })
  async rotateSecret(
    @CurrentVisit() visit: Visit,
    @Param('webhook', WebhookIdPipe) id: string,
  ): Promise<HtmlResponse> {
    const { signingSecret } = await this.webhooks.rotateSecret(visit.context, id);
    return this.pages.page(visit, id, signingSecret);
  }

  @Post('replay')
  replay(@CurrentVisit() visit: Visit, @Param('webhook', WebhookIdPipe) id: string): Promise<HtmlResponse> {
    return this.pages.change(
      visit,
      id,
      'The events are being sent again. Reload this page to see the responses.',
      async () => {
        const { since } = await readAs(ReplayWebhookDto, { since: textOf(visit.form, 'since') });
        await this.webhooks.replaySince(visit.context, id, since);
      },
    );
  }
}
