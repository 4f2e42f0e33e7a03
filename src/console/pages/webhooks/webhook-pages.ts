import { Injectable } from '@nestjs/common';
import { DELIVERY_STATUSES } from '../../../webhooks/webhook-delivery.entity.js';
import { WebhookDeliveriesService } from '../../../webhooks/webhook-deliveries.service.js';
import { WebhooksService } from '../../../webhooks/webhooks.service.js';
import { cursorIn, textOf, type Fields } from '../../access/fields.js';
import type { PageProps } from '../../components/console-page.js';
import { WebhookPage } from './webhook.view.js';

const DELIVERIES = 20;

/** The page of a webhook. */
@Injectable()
export class WebhookPages {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: WebhookDeliveriesService,
  ) {}

  async page(props: PageProps, id: string, more: { query?: Fields; secret?: string; entered?: Fields } = {}) {
    const { accountId } = props.visitor;
    const { query, ...rest } = more;
    const cursor = await cursorIn(query, DELIVERIES);
    const status = DELIVERY_STATUSES.find((known) => known === textOf(query, 'status'));
    const webhook = await this.webhooks.find(accountId, id);
    const page = await this.deliveries.page(accountId, id, cursor, status);
    return WebhookPage({ ...props, ...rest, webhook, page, cursor, status });
  }
}
