import { Injectable } from '@nestjs/common';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { DELIVERY_STATUSES } from '../../../webhooks/webhook-delivery.entity.js';
import { WebhookDeliveriesService } from '../../../webhooks/webhook-deliveries.service.js';
import { WebhooksService } from '../../../webhooks/webhooks.service.js';
import { Done, readList, submitChange, type Visit } from '../../access/visit.js';
import { textOf } from '../../components/form.js';
import { WebhookPage } from './webhook.view.js';

const DELIVERIES = 20;

/** The page of a webhook. */
@Injectable()
export class WebhookPages {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  /** @param secret - a signing secret that was just created */
  async page(visit: Visit, id: string, secret?: string): Promise<HtmlResponse> {
    const { accountId, query } = visit;
    const status = DELIVERY_STATUSES.find((known) => known === textOf(query, 'status'));
    const webhook = await this.webhooks.find(accountId, id);
    const deliveries = await readList(visit, DELIVERIES, (cursor) =>
      this.deliveries.page(accountId, id, cursor, status),
    );
    return WebhookPage({ visitor: visit, webhook, deliveries, status, secret });
  }

  /** Handles a form of the page. */
  async change(visit: Visit, id: string, done: string, work: () => Promise<unknown>): Promise<HtmlResponse> {
    await this.webhooks.find(visit.accountId, id);
    const shown = new Done(`/console/webhooks/${id}`, done);
    return submitChange(visit, work, shown, (refused) => this.page(refused, id));
  }
}
