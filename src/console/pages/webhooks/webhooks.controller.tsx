import { Get, Post } from '@nestjs/common';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { Route } from '../../../http/route.js';
import { WebhookId } from '../../../webhooks/operations.js';
import { DELIVERY_STATUSES } from '../../../webhooks/webhook-delivery.entity.js';
import { WebhookDeliveriesService } from '../../../webhooks/webhook-deliveries.service.js';
import { ReplayWebhookDto } from '../../../webhooks/webhook-event.dto.js';
import { CreateWebhookDto, UpdateWebhookDto } from '../../../webhooks/webhook.dto.js';
import { WebhooksService } from '../../../webhooks/webhooks.service.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import {
  CurrentVisit,
  Done,
  readAs,
  readList,
  submit,
  submitChange,
  type Visit,
} from '../../access/visit.js';
import { ConfirmationPage } from '../../components/confirmation.js';
import { Timestamp } from '../../components/content.js';
import { CardForm, changedIn, textOf, textsOf, type Fields } from '../../components/form.js';
import { ListPage } from '../../components/list.js';
import { listEvents, WebhookFields, WebhookPage, WebhookStatus } from './webhook.view.js';

const WEBHOOKS = 50;
const DELIVERIES = 20;
/** A webhook may have millions of deliveries. */
const DELETION_LIMIT_MS = 10 * 60_000;

@ConsoleController('webhooks', 'viewer')
export class WebhooksPageController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  @Get()
  async list(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    const { accountId, isAdmin } = visit;
    const list = await readList(visit, WEBHOOKS, (cursor) => this.webhooks.page(accountId, cursor));
    return (
      <ListPage
        visitor={visit}
        title="Webhooks"
        path="/console/webhooks"
        createLabel={isAdmin && 'Add a webhook'}
        intro="A webhook sends the changes of the list to another system, signed and in order."
        list={list}
        columns={{
          Endpoint: ({ id, endpoint }) => <a href={`/console/webhooks/${id}`}>{endpoint}</a>,
          Status: (webhook) => <WebhookStatus webhook={webhook} />,
          Events: ({ events }) => listEvents(events),
          Created: ({ createdAt }) => <Timestamp at={createdAt} />,
        }}
        empty={`No webhooks yet. ${isAdmin ? 'Add an endpoint to send changes to another system.' : 'An admin adds the first webhook.'}`}
      >
        {isAdmin && (
          <CardForm id="create" title="Add a webhook" action="/console/webhooks" submit="Create">
            <WebhookFields />
          </CardForm>
        )}
      </ListPage>
    );
  }

  @Post()
  @RequireRole('admin', { recent: true, keepsForm: true })
  create(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return submit(
      visit,
      async () => {
        const asked = await readAs(CreateWebhookDto, fieldsIn(visit.form));
        const { webhook, signingSecret } = await this.webhooks.create(visit.context, asked.toNewWebhook());
        return this.page(visit, webhook.id, signingSecret);
      },
      (refused) => this.list(refused),
    );
  }

  @Get(':webhook')
  show(@CurrentVisit() visit: Visit, @WebhookId id: string): Promise<HtmlResponse> {
    return this.page(visit, id);
  }

  @Post(':webhook')
  @RequireRole('admin', { recent: true, keepsForm: true })
  update(@CurrentVisit() visit: Visit, @WebhookId id: string): Promise<HtmlResponse> {
    return this.change(visit, id, 'Changes saved.', async () => {
      const asked = await readAs(UpdateWebhookDto, changedIn(visit.form, fieldsIn(visit.form)));
      await this.webhooks.update(visit.context, id, asked.toChanges());
    });
  }

  @Post(':webhook/test')
  @RequireRole('editor')
  test(@CurrentVisit() visit: Visit, @WebhookId id: string): Promise<HtmlResponse> {
    return this.change(
      visit,
      id,
      'A test event is being sent. Reload this page to see the response of the endpoint.',
      () => this.deliveries.test(visit.context, id),
    );
  }

  @Post(':webhook/enable')
  @RequireRole('editor')
  enable(@CurrentVisit() visit: Visit, @WebhookId id: string): Promise<HtmlResponse> {
    return this.change(visit, id, 'Webhook enabled.', () =>
      this.webhooks.update(visit.context, id, { status: 'enabled' }),
    );
  }

  @Post(':webhook/disable')
  @RequireRole('editor')
  disable(@CurrentVisit() visit: Visit, @WebhookId id: string): Promise<HtmlResponse> {
    return this.change(
      visit,
      id,
      'The webhook is disabled. Events wait, and are sent when it is enabled again.',
      () => this.webhooks.update(visit.context, id, { status: 'disabled' }),
    );
  }

  @Post(':webhook/secret')
  @RequireRole('admin', { recent: true })
  async rotateSecret(@CurrentVisit() visit: Visit, @WebhookId id: string): Promise<HtmlResponse> {
    const { signingSecret } = await this.webhooks.rotateSecret(visit.context, id);
    return this.page(visit, id, signingSecret);
  }

  @Post(':webhook/replay')
  @RequireRole('editor')
  replay(@CurrentVisit() visit: Visit, @WebhookId id: string): Promise<HtmlResponse> {
    return this.change(
      visit,
      id,
      'The changes are being sent again. Reload this page to see the responses.',
      async () => {
        const { since } = await readAs(ReplayWebhookDto, { since: textOf(visit.form, 'since') });
        await this.webhooks.replaySince(visit.context, id, since);
      },
    );
  }

  @Get(':webhook/delete')
  async confirmDeletion(@CurrentVisit() visit: Visit, @WebhookId id: string): Promise<HtmlResponse> {
    const webhook = await this.webhooks.find(visit.accountId, id);
    const path = `/console/webhooks/${id}`;
    return (
      <ConfirmationPage
        visitor={visit}
        title="Delete this webhook?"
        section="/console/webhooks"
        action={`${path}/delete`}
        submit="Delete this webhook"
        back={path}
      >
        <p class="mono">{webhook.endpoint}</p>
        <ul class="steps">
          <li>Deliveries stop: events that wait for another attempt are never sent.</li>
          <li>The deliveries of the last 30 days are deleted, with their responses.</li>
          <li>
            Its signing secret becomes invalid. Another webhook for the same endpoint gets another secret.
          </li>
        </ul>
        <p>This cannot be undone. To stop a webhook for a while, disable it instead.</p>
      </ConfirmationPage>
    );
  }

  @Post(':webhook/delete')
  @RequireRole('admin', { recent: true })
  @Route({ timeLimitMs: DELETION_LIMIT_MS })
  async delete(@CurrentVisit() { context }: Visit, @WebhookId id: string): Promise<HtmlResponse> {
    await this.webhooks.delete(context, id);
    return new Done('/console/webhooks', 'Webhook deleted.');
  }

  /** @param secret - a signing secret that was just created */
  private async page(visit: Visit, id: string, secret?: string): Promise<HtmlResponse> {
    const { accountId, query } = visit;
    const status = DELIVERY_STATUSES.find((known) => known === textOf(query, 'status'));
    const webhook = await this.webhooks.find(accountId, id);
    const deliveries = await readList(visit, DELIVERIES, (cursor) =>
      this.deliveries.page(accountId, id, cursor, status),
    );
    const backlog = webhook.status === 'enabled' ? await this.webhooks.backlog(webhook) : undefined;
    return WebhookPage({ visitor: visit, webhook, backlog, deliveries, status, secret });
  }

  /** Handles a form of the page. */
  private async change(
    visit: Visit,
    id: string,
    done: string,
    work: () => Promise<unknown>,
  ): Promise<HtmlResponse> {
    await this.webhooks.find(visit.accountId, id);
    const shown = new Done(`/console/webhooks/${id}`, done);
    return submitChange(visit, work, shown, (refused) => this.page(refused, id));
  }
}

function fieldsIn(form: Fields): Record<string, unknown> {
  return { endpoint: textOf(form, 'endpoint'), events: textsOf(form, 'events') };
}
