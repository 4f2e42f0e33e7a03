import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, Raw, Repository, type EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { createEvent } from '../announcements/events.js';
import { differencesBetween, recordAudit } from '../audit/record-audit.js';
import type { RequestContext } from '../audit/request-context.js';
import { transactionBefore } from '../database/transaction.js';
import { requireFound } from '../http/errors/api-error.js';
import { findPage, toPage, type Cursor, type Page } from '../http/page.js';
import { WebhookDisabledError, WebhookEventNotFoundError } from './errors.js';
import { WebhookDelivery, type Attempt, type DeliveryStatus } from './webhook-delivery.entity.js';
import { subjectOf } from './webhook-changes.js';
import type { Webhook } from './webhook.entity.js';
import { lockWebhook, WebhooksService } from './webhooks.service.js';

@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly dataSource: DataSource,
    @InjectRepository(WebhookDelivery) private readonly deliveries: Repository<WebhookDelivery>,
    private readonly webhooks: WebhooksService,
  ) {}

  /**
   * Newest first.
   *
   * @throws {WebhookNotFoundError}
   */
  async page(
    accountId: number,
    webhookId: string,
    cursor: Cursor,
    status?: DeliveryStatus,
  ): Promise<Page<WebhookDelivery>> {
    await this.webhooks.find(accountId, webhookId);
    // Plans are generic, so only a literal lets them use the index of one status.
    const hasStatus = status && { status: Raw((column) => `${column} = '${status}'`) };
    return findPage(this.deliveries, [{ accountId, webhookId, ...hasStatus }], cursor);
  }

  /**
   * @throws {WebhookNotFoundError}
   * @throws {WebhookEventNotFoundError}
   */
  async get(accountId: number, webhookId: string, id: string): Promise<WebhookDelivery> {
    await this.webhooks.find(accountId, webhookId);
    const found = await this.deliveries.findOneBy({ accountId, webhookId, id });
    return requireFound(found, WebhookEventNotFoundError);
  }

  /**
   * The attempts to deliver an event, newest first.
   *
   * @throws {WebhookNotFoundError}
   * @throws {WebhookEventNotFoundError}
   */
  async attempts(
    accountId: number,
    webhookId: string,
    id: string,
    { limit, after, before }: Cursor,
  ): Promise<Page<Attempt>> {
    const { attempts } = await this.get(accountId, webhookId, id);
    const newest = attempts.toReversed();
    if (before !== undefined) {
      const page = toPage(
        attempts.filter((attempt) => attempt.id > before),
        limit,
      );
      return { ...page, elements: page.elements.toReversed() };
    }
    return toPage(after === undefined ? newest : newest.filter((attempt) => attempt.id < after), limit);
  }

  /**
   * Sends an event again, whatever its status. Later changes wait for it only if they did before.
   *
   * @throws {WebhookNotFoundError}
   * @throws {WebhookEventNotFoundError}
   * @throws {WebhookDisabledError}
   */
  async replay(context: RequestContext, webhookId: string, id: string): Promise<WebhookDelivery> {
    const { accountId } = context;
    const delivery = await this.get(accountId, webhookId, id);
    const changes = differencesBetween({}, { event: id });
    await transactionBefore(this.dataSource, context, async (transaction) => {
      const webhook = await lockEnabled(transaction, accountId, webhookId);
      await transaction.getRepository(WebhookDelivery).update(
        { accountId, webhookId, id },
        {
          status: 'pending',
          position: () => `CASE status WHEN 'pending' THEN position END`,
          tries: 0,
          nextAttemptAt: new Date(),
        },
      );
      const action = 'webhook.event_replayed';
      await recordAudit(transaction, context, action, subjectOf(webhook), changes);
    });
    return delivery;
  }

  /**
   * Sends a test event.
   *
   * @returns the id of the event
   * @throws {WebhookNotFoundError}
   * @throws {WebhookDisabledError}
   */
  async test(context: RequestContext, webhookId: string): Promise<string> {
    const { accountId } = context;
    const event = createEvent('webhook.test', uuidv7(), new Date(), { webhook_id: webhookId });
    await transactionBefore(this.dataSource, context, async (transaction) => {
      const webhook = await lockEnabled(transaction, accountId, webhookId);
      await transaction
        .getRepository(WebhookDelivery)
        .insert({ ...event, accountId, webhookId, status: 'pending', nextAttemptAt: new Date() });
      await recordAudit(transaction, context, 'webhook.tested', subjectOf(webhook));
    });
    return event.id;
  }
}

async function lockEnabled(transaction: EntityManager, accountId: number, id: string): Promise<Webhook> {
  const webhook = await lockWebhook(transaction, accountId, id);
  if (webhook.status === 'disabled') {
    throw new WebhookDisabledError();
  }
  return webhook;
}
