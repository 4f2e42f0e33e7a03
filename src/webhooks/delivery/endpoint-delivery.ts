import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import type { WebhookEvent } from '../../announcements/events.js';
import type { FeedChange } from '../../feed/feed-change.js';
import { FeedService } from '../../feed/feed.service.js';
import { FairLimiter } from '../../process/fair-limiter.js';
import { WebhookClient, type EndpointResponse } from '../endpoint/webhook-client.js';
import { signatureHeaders } from '../signing-secrets.js';
import type { Attempt } from '../webhook-delivery.entity.js';
import { eventsOf } from '../webhook-event.js';
import { DeliveryRecorder } from './delivery-recorder.js';
import { FIND_DUE, RETRY_NOW, type DueDelivery } from './due-deliveries.js';
import { stateAfterAttempt, isSuccess, reasonToDisable } from './retry-schedule.js';
import type { HeldWebhook } from './webhook-leases.js';
import { WebhookMetrics } from './webhook-metrics.js';

const PAGE_SIZE = 100;
const REDIRECTED = 'Redirects are not followed. Change the endpoint to the URL to which this one redirects.';
/** Limited, so that connections remain for requests, however many webhooks there are. */
const MAX_CONCURRENT_READS = 2;

/** An attempt that is interrupted, for example because the instance stops, is not counted, and is repeated. */
type AttemptOutcome = 'received' | 'failed' | 'interrupted';

/** Delivers events to one endpoint, one at a time. */
@Injectable()
export class EndpointDelivery {
  /** Whether the instance is stopping, so that no further attempt begins. */
  isStopping = false;

  private readonly logger = new Logger(EndpointDelivery.name);
  private readonly readLimiter = new FairLimiter(MAX_CONCURRENT_READS);

  constructor(
    private readonly feed: FeedService,
    private readonly dataSource: DataSource,
    private readonly recorder: DeliveryRecorder,
    private readonly client: WebhookClient,
    private readonly metrics: WebhookMetrics,
  ) {}

  /**
   * Sends the due deliveries, and then the changes after the webhook's position, until an attempt fails, the time of the
   * webhook is over, or the instance stops.
   */
  async serve(webhook: HeldWebhook): Promise<void> {
    const hasSent = !webhook.isDue || (await this.sendDue(webhook));
    if (hasSent && !webhook.isBlocked) {
      await this.follow(webhook);
    }
  }

  /**
   * Sends the due deliveries. If an event outside the feed succeeds, the endpoint works, so the changes need not wait any
   * longer.
   */
  private async sendDue(webhook: HeldWebhook): Promise<boolean> {
    const { accountId, id } = webhook;
    const due = await this.readLimiter.run(() => FIND_DUE.run(this.dataSource, [accountId, id]));
    for (const delivery of due) {
      if (delivery.position !== null && !webhook.events.has(delivery.type)) {
        this.giveUp(webhook, delivery);
      } else if (!this.mayContinue(webhook) || (await this.attempt(webhook, delivery)) !== 'received') {
        return false;
      }
    }
    if (webhook.isBlocked && due.length > 0 && due.every(({ position }) => position === null)) {
      await this.recorder.flush();
      await RETRY_NOW.run(this.dataSource, [accountId, id]);
    }
    return true;
  }

  private async follow(webhook: HeldWebhook): Promise<void> {
    let hasMore = true;
    while (hasMore && this.mayContinue(webhook)) {
      const { accountId, position, changeId } = webhook;
      const page = await this.readLimiter.run(() =>
        this.feed.read(accountId, { position, changeId }, PAGE_SIZE),
      );
      for (const change of page.changes) {
        if (!(await this.deliver(webhook, change))) {
          return;
        }
      }
      hasMore = page.hasMore && page.changes.length > 0;
    }
  }

  /** @returns false if the changes after this one must wait */
  private async deliver(webhook: HeldWebhook, change: FeedChange): Promise<boolean> {
    const events = eventsOf(change).filter(({ type }) => webhook.events.has(type));
    const position = String(change.position);
    for (const [index, event] of events.entries()) {
      const delivery = { ...event, position, tries: 0, dueAt: null, wasUnreachable: false };
      const outcome = this.mayContinue(webhook) ? await this.attempt(webhook, delivery) : 'interrupted';
      if (outcome === 'failed') {
        this.moveTo(webhook, change, events.slice(index + 1));
      } else if (outcome === 'interrupted' && index > 0) {
        this.moveTo(webhook, change, events.slice(index));
      }
      if (outcome !== 'received') {
        return false;
      }
    }
    this.moveTo(webhook, change, []);
    return true;
  }

  /** @param unsent - events of the change that must wait, together with the one that failed */
  private moveTo(webhook: HeldWebhook, { position, id: changeId }: FeedChange, unsent: WebhookEvent[]): void {
    const { accountId, id: webhookId } = webhook;
    webhook.position = position;
    webhook.changeId = changeId;
    this.recorder.record(
      webhook,
      unsent.map((event) => ({
        ...event,
        accountId,
        webhookId,
        status: 'pending',
        position: String(position),
        tries: 0,
        nextAttemptAt: new Date(),
        dueAt: null,
        attempts: [],
      })),
    );
  }

  /** Ends the retries of an event whose type was removed from the webhook, so that later changes need not wait for it. */
  private giveUp(webhook: HeldWebhook, delivery: DueDelivery): void {
    const { accountId, id: webhookId } = webhook;
    const { wasUnreachable: _, ...event } = delivery;
    webhook.failingSince = null;
    this.recorder.record(webhook, [
      { ...event, accountId, webhookId, status: 'failed', nextAttemptAt: null, attempts: [] },
    ]);
  }

  private async attempt(webhook: HeldWebhook, delivery: DueDelivery): Promise<AttemptOutcome> {
    const sentAt = new Date();
    const { wasUnreachable, ...event } = delivery;
    const headers = signatureHeaders(event.id, event.body, webhook.secrets, sentAt);
    const response = await this.client.post(webhook.endpoint, headers, event.body);
    const succeeded = isSuccess(response);
    if (response.statusCode === 0 && this.isStopping) {
      return 'interrupted';
    }
    const isUnconfirmed = response.isUnreachable && !wasUnreachable;
    if (succeeded) {
      webhook.failingSince = null;
      this.metrics.countSuccess((Date.now() - event.createdAt.getTime()) / 1_000);
    } else if (isUnconfirmed) {
      webhook.isUnreachable = true;
      this.metrics.countFailure();
    } else {
      this.handleFailure(webhook, event.tries + 1, response, sentAt);
    }
    const attempt = toAttempt(response, sentAt);
    this.recorder.record(webhook, [
      {
        ...event,
        ...(isUnconfirmed
          ? { status: 'pending', nextAttemptAt: new Date() }
          : stateAfterAttempt(event.tries + 1, response, new Date())),
        accountId: webhook.accountId,
        webhookId: webhook.id,
        attempts: [isUnconfirmed ? { ...attempt, is_unconfirmed: true } : attempt],
      },
    ]);
    return succeeded ? 'received' : 'failed';
  }

  private mayContinue({ servedUntil, disabledReason }: HeldWebhook): boolean {
    return !this.isStopping && performance.now() < servedUntil && disabledReason === null;
  }

  private handleFailure(webhook: HeldWebhook, tries: number, response: EndpointResponse, sentAt: Date): void {
    webhook.failingSince ??= sentAt;
    this.metrics.countFailure();
    const reason = reasonToDisable(tries, response, webhook.failingSince, new Date());
    webhook.disabledReason = reason;
    if (reason) {
      this.metrics.countDisabled(reason);
      this.logger.warn({
        msg: 'a webhook was disabled because of its endpoint',
        webhook: webhook.id,
        reason,
      });
    }
  }
}

function toAttempt({ statusCode, body, error }: EndpointResponse, sentAt: Date): Attempt {
  const isRedirect = statusCode >= 300 && statusCode < 400;
  return {
    id: uuidv7(),
    sent_at: sentAt.toISOString(),
    http_status_code: statusCode,
    response: body,
    error: isRedirect ? REDIRECTED : error,
  };
}
