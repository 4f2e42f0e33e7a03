import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { Deadline } from '../../../http/deadline.js';
import type { HtmlResponse } from '../../../http/html-response.js';
import { Route } from '../../../http/route-options.js';
import { ReplayWebhookDto } from '../../../webhooks/dto/webhook-event.dto.js';
import { CreateWebhookDto } from '../../../webhooks/dto/webhook.dto.js';
import { WebhookIdPipe } from '../../../webhooks/id.pipe.js';
import { DELIVERY_STATUSES } from '../../../webhooks/webhook-delivery.entity.js';
import { WebhookDeliveriesService } from '../../../webhooks/webhook-deliveries.service.js';
import { WebhooksService } from '../../../webhooks/webhooks.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { Done } from '../../access/done.js';
import { cursorIn, readAs, textOf, textsOf, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { actorOf, CurrentVisitor } from '../../access/visitor.js';
import type { PageProps } from '../../components/console-page.js';
import type { Visitor } from '../../people/sessions.service.js';
import { DeleteWebhookPage } from './delete-webhook.view.js';
import { WebhookPage } from './webhook.view.js';
import { WebhooksPage } from './webhooks.view.js';

const WEBHOOKS = 50;
const DELIVERIES = 20;
/** A webhook may have millions of deliveries. */
const DELETION_LIMIT_MS = 10 * 60_000;

@ConsoleController('webhooks')
@RequireRole('viewer')
export class WebhooksPageController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  @Get()
  list(@CurrentVisitor() visitor: Visitor, @Query() query: Fields): Promise<HtmlResponse> {
    return this.listPage({ visitor }, query);
  }

  @Post()
  @RequireRole('admin', { recent: true })
  create(
    @CurrentVisitor() visitor: Visitor,
    @Deadline() deadline: number,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    return submit(
      async () => {
        const asked = await readAs(CreateWebhookDto, fieldsIn(form));
        const created = await this.webhooks.create(
          visitor.accountId,
          actorOf(visitor),
          asked.toNewWebhook(),
          deadline,
        );
        return this.page({ visitor }, created.webhook.id, { secret: created.signingSecret });
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
    return this.page({ visitor }, id, { query });
  }

  @Post(':webhook')
  @RequireRole('admin', { recent: true })
  async update(
    @CurrentVisitor() visitor: Visitor,
    @Deadline() deadline: number,
    @Param('webhook', WebhookIdPipe) id: string,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    await this.webhooks.find(visitor.accountId, id);
    return submit(
      async () => {
        const asked = await readAs(CreateWebhookDto, fieldsIn(form));
        const changes = asked.toNewWebhook();
        await this.webhooks.update(visitor.accountId, actorOf(visitor), id, changes, deadline);
        return new Done(`/console/webhooks/${id}`, 'The changes are saved.');
      },
      (problem) => this.page({ visitor, problem }, id, { entered: form }),
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
    @CurrentVisitor() visitor: Visitor,
    @Deadline() deadline: number,
    @Param('webhook', WebhookIdPipe) id: string,
  ): Promise<HtmlResponse> {
    await this.webhooks.delete(visitor.accountId, actorOf(visitor), id, deadline);
    return new Done('/console/webhooks', 'The webhook is deleted.');
  }

  @Post(':webhook/test')
  @RequireRole('editor')
  test(
    @CurrentVisitor() visitor: Visitor,
    @Deadline() deadline: number,
    @Param('webhook', WebhookIdPipe) id: string,
  ): Promise<HtmlResponse> {
    return this.change(
      visitor,
      id,
      'A test is on its way. Reload this page to see what the endpoint responded.',
      () => this.deliveries.test(visitor.accountId, actorOf(visitor), id, deadline),
    );
  }

  @Post(':webhook/enable')
  @RequireRole('editor')
  enable(
    @CurrentVisitor() visitor: Visitor,
    @Deadline() deadline: number,
    @Param('webhook', WebhookIdPipe) id: string,
  ): Promise<HtmlResponse> {
    return this.change(visitor, id, 'The webhook is enabled.', () =>
      this.webhooks.update(visitor.accountId, actorOf(visitor), id, { status: 'enabled' }, deadline),
    );
  }

  @Post(':webhook/disable')
  @RequireRole('editor')
  disable(
    @CurrentVisitor() visitor: Visitor,
    @Deadline() deadline: number,
    @Param('webhook', WebhookIdPipe) id: string,
  ): Promise<HtmlResponse> {
    return this.change(visitor, id, 'The webhook is disabled.', () =>
      this.webhooks.update(visitor.accountId, actorOf(visitor), id, { status: 'disabled' }, deadline),
    );
  }

  @Post(':webhook/secret')
  @RequireRole('admin', { recent: true })
  async rotateSecret(
    @CurrentVisitor() visitor: Visitor,
    @Deadline() deadline: number,
    @Param('webhook', WebhookIdPipe) id: string,
  ): Promise<HtmlResponse> {
    const { signingSecret } = await this.webhooks.rotateSecret(
      visitor.accountId,
      actorOf(visitor),
      id,
      deadline,
    );
    return this.page({ visitor }, id, { secret: signingSecret });
  }

  @Post(':webhook/replay')
  @RequireRole('editor')
  replay(
    @CurrentVisitor() visitor: Visitor,
    @Deadline() deadline: number,
    @Param('webhook', WebhookIdPipe) id: string,
    @Body() form: Fields,
  ): Promise<HtmlResponse> {
    return this.change(
      visitor,
      id,
      'What you replayed is being sent again. Reload this page to see the responses.',
      async () => {
        const { since } = await readAs(ReplayWebhookDto, { since: textOf(form, 'since') });
        await this.webhooks.replaySince(visitor.accountId, actorOf(visitor), id, since, deadline);
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
      (problem) => this.page({ visitor, problem }, id),
    );
  }

  private async listPage(props: PageProps, query: Fields, entered?: Fields) {
    const cursor = await cursorIn(query, WEBHOOKS);
    const page = await this.webhooks.page(props.visitor.accountId, cursor);
    return WebhooksPage({ ...props, page, cursor, ...(entered && { entered }) });
  }

  private async page(
    props: PageProps,
    id: string,
    more: { query?: Fields; secret?: string; entered?: Fields } = {},
  ) {
    const { accountId } = props.visitor;
    const { query, ...rest } = more;
    const cursor = await cursorIn(query, DELIVERIES);
    const status = DELIVERY_STATUSES.find((one) => one === textOf(query, 'status'));
    const webhook = await this.webhooks.find(accountId, id);
    const page = await this.deliveries.page(accountId, id, cursor, status);
    return WebhookPage({ ...props, ...rest, webhook, page, cursor, status });
  }
}

function fieldsIn(form: Fields) {
  return { endpoint: textOf(form, 'endpoint'), events: textsOf(form, 'events') };
}
