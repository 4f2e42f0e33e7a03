import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { Context, type RequestContext } from '../../../audit/request-context.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { Route } from '../../../http/route-options.js';
import { CreateWebhookDto } from '../../../webhooks/dto/webhook.dto.js';
import { WebhookIdPipe } from '../../../webhooks/id.pipe.js';
import { WebhooksService } from '../../../webhooks/webhooks.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { Done } from '../../access/done.js';
import { cursorIn, readAs, textOf, textsOf, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { CurrentVisitor } from '../../access/visitor.js';
import type { PageProps } from '../../components/console-page.js';
import type { Visitor } from '../../people/sessions.service.js';
import { WebhookPages } from './webhook-pages.js';
import { DeleteWebhookPage } from './delete-webhook.view.js';
import { WebhooksPage } from './webhooks.view.js';

const WEBHOOKS = 50;
/** A webhook may have millions of deliveries. */
const DELETION_LIMIT_MS = 10 * 60_000;

@ConsoleController('webhooks')
@RequireRole('viewer')
export class WebhooksPageController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly pages: WebhookPages,
  ) {}

  @Get()
  list(@CurrentVisitor() visitor: Visitor, @Query() query: Fields): Promise<HtmlResponse> {
    return this.listPage({ visitor }, query);
  }

  @Post()
  @RequireRole('admin', { recent: true, keepsForm: true })
  create(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    return submit(
      async () => {
        const asked = await readAs(CreateWebhookDto, fieldsIn(form));
        const created = await this.webhooks.create(context, asked.toNewWebhook());
        return this.pages.page({ visitor }, created.webhook.id, { secret: created.signingSecret });
      },
      (problem) => this.listPage({ visitor, problem }, {}, form),
    );
  }

  @Get(':webhook')
  show(
    @CurrentVisitor() visitor: Visitor,
    @Param('webhook', WebhookIdPipe) id: string,
    @Query() query: Fields,
  ): Promise<HtmlResponse> {
    return this.pages.page({ visitor }, id, { query });
  }

  @Post(':webhook')
  @RequireRole('admin', { recent: true, keepsForm: true })
  async update(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('webhook', WebhookIdPipe) id: string,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    await this.webhooks.find(visitor.accountId, id);
    return submit(
      async () => {
        const asked = await readAs(CreateWebhookDto, fieldsIn(form));
        const changes = asked.toNewWebhook();
        await this.webhooks.update(context, id, changes);
        return new Done(`/console/webhooks/${id}`, 'The changes are saved.');
      },
      (problem) => this.pages.page({ visitor, problem }, id, { entered: form }),
    );
  }

  @Get(':webhook/delete')
  async confirmDeletion(
    @CurrentVisitor() visitor: Visitor,
    @Param('webhook', WebhookIdPipe) id: string,
  ): Promise<HtmlResponse> {
    return DeleteWebhookPage({ visitor, webhook: await this.webhooks.find(visitor.accountId, id) });
  }

  @Post(':webhook/delete')
  @RequireRole('admin', { recent: true })
  @Route({ timeLimitMs: DELETION_LIMIT_MS })
  async delete(
    @Context() context: RequestContext,
    @Param('webhook', WebhookIdPipe) id: string,
  ): Promise<HtmlResponse> {
    await this.webhooks.delete(context, id);
    return new Done('/console/webhooks', 'The webhook is deleted.');
  }

  private async listPage(props: PageProps, query: Fields, entered?: Fields) {
    const cursor = await cursorIn(query, WEBHOOKS);
    const page = await this.webhooks.page(props.visitor.accountId, cursor);
    return WebhooksPage({ ...props, page, cursor, ...(entered && { entered }) });
  }
}

function fieldsIn(form: Fields) {
  return { endpoint: textOf(form, 'endpoint'), events: textsOf(form, 'events') };
}
