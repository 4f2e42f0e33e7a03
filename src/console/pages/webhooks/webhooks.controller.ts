import { Get, Param, Post } from '@nestjs/common';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { Route } from '../../../http/route.js';
import { WebhookIdPipe } from '../../../webhooks/id.pipe.js';
import { CreateWebhookDto } from '../../../webhooks/webhook.dto.js';
import { WebhooksService } from '../../../webhooks/webhooks.service.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, Done, readAs, readList, submit, type Visit } from '../../access/visit.js';
import { textOf, textsOf } from '../../components/form.js';
import { DeleteWebhookPage, WebhooksPage } from './webhooks.view.js';
import { WebhookPages } from './webhook-pages.js';

const WEBHOOKS = 50;
/** A webhook may have millions of deliveries. */
const DELETION_LIMIT_MS = 10 * 60_000;

@ConsoleController('webhooks', 'viewer')
export class WebhooksPageController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly pages: WebhookPages,
  ) {}

  @Get()
  async list(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return WebhooksPage({
      visitor: visit,
      list: await readList(visit, WEBHOOKS, (cursor) => this.webhooks.page(visit.accountId, cursor)),
    });
  }

  @Post()
  @RequireRole('admin', { recent: true, keepsForm: true })
  create(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return submit(
      visit,
      async () => {
        const { webhook, signingSecret } = await this.webhooks.create(visit.context, await webhookIn(visit));
        return this.pages.page(visit, webhook.id, signingSecret);
      },
      (refused) => this.list(refused),
    );
  }

  @Get(':webhook')
  show(@CurrentVisit() visit: Visit, @Param('webhook', WebhookIdPipe) id: string): Promise<HtmlResponse> {
    return this.pages.page(visit, id);
  }

  @Post(':webhook')
  @RequireRole('admin', { recent: true, keepsForm: true })
  update(@CurrentVisit() visit: Visit, @Param('webhook', WebhookIdPipe) id: string): Promise<HtmlResponse> {
    return this.pages.change(visit, id, 'The changes are saved.', async () =>
      this.webhooks.update(visit.context, id, await webhookIn(visit)),
    );
  }

  @Get(':webhook/delete')
  async confirmDeletion(
    @CurrentVisit() visit: Visit,
    @Param('webhook', WebhookIdPipe) id: string,
  ): Promise<HtmlResponse> {
    return DeleteWebhookPage({ visitor: visit, webhook: await this.webhooks.find(visit.accountId, id) });
  }

  @Post(':webhook/delete')
  @RequireRole('admin', { recent: true })
  @Route({ timeLimitMs: DELETION_LIMIT_MS })
  async delete(
    @CurrentVisit() { context }: Visit,
    @Param('webhook', WebhookIdPipe) id: string,
  ): Promise<HtmlResponse> {
    await this.webhooks.delete(context, id);
    return new Done('/console/webhooks', 'The webhook is deleted.');
  }
}

async function webhookIn({ form }: Visit) {
  const fields = { endpoint: textOf(form, 'endpoint'), events: textsOf(form, 'events') };
  return (await readAs(CreateWebhookDto, fields)).toNewWebhook();
}
