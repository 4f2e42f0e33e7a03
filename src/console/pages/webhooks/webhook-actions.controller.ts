import { Body, Param, Post } from '@nestjs/common';
import { Context, type RequestContext } from '../../../audit/request-context.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { ReplayWebhookDto } from '../../../webhooks/dto/webhook-event.dto.js';
import { WebhookIdPipe } from '../../../webhooks/id.pipe.js';
import { WebhookDeliveriesService } from '../../../webhooks/webhook-deliveries.service.js';
import { WebhooksService } from '../../../webhooks/webhooks.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { Done } from '../../access/done.js';
import { readAs, textOf, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { CurrentVisitor } from '../../access/visitor.js';
import type { Visitor } from '../../people/sessions.service.js';
import { WebhookPages } from './webhook-pages.js';

@ConsoleController('webhooks/:webhook')
@RequireRole('editor')
export class WebhookActionsController {
  constructor(
    private readonly pages: WebhookPages,
    private readonly webhooks: WebhooksService,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  @Post('test')
  test(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('webhook', WebhookIdPipe) id: string,
  ): Promise<HtmlResponse> {
    return this.change(
      visitor,
      id,
      'A test event is being sent. Reload this page to see the response of the endpoint.',
      () => this.deliveries.test(context, id),
    );
  }

  @Post('enable')
  enable(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('webhook', WebhookIdPipe) id: string,
  ): Promise<HtmlResponse> {
    return this.change(visitor, id, 'The webhook is enabled.', () =>
      this.webhooks.update(context, id, { status: 'enabled' }),
    );
  }

  @Post('disable')
  disable(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('webhook', WebhookIdPipe) id: string,
  ): Promise<HtmlResponse> {
    return this.change(visitor, id, 'The webhook is disabled.', () =>
      this.webhooks.update(context, id, { status: 'disabled' }),
    );
  }

  @Post('secret')
  @RequireRole('admin', { recent: true })
  async rotateSecret(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('webhook', WebhookIdPipe) id: string,
  ): Promise<HtmlResponse> {
    const { signingSecret } = await this.webhooks.rotateSecret(context, id);
    return this.pages.page({ visitor }, id, { secret: signingSecret });
  }

  @Post('replay')
  replay(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('webhook', WebhookIdPipe) id: string,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    return this.change(
      visitor,
      id,
      'The events are being sent again. Reload this page to see the responses.',
      async () => {
        const { since } = await readAs(ReplayWebhookDto, { since: textOf(form, 'since') });
        await this.webhooks.replaySince(context, id, since);
      },
    );
  }

  private async change(
    visitor: Visitor,
    id: string,
    done: string,
    work: () => Promise<unknown>,
  ): Promise<HtmlResponse> {
    await this.webhooks.find(visitor.accountId, id);
    return submit(
      async () => {
        await work();
        return new Done(`/console/webhooks/${id}`, done);
      },
      (problem) => this.pages.page({ visitor, problem }, id),
    );
  }
}
