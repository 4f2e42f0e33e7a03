import { Injectable, Logger } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { WebhookEvent } from '../../announcements/event.js';
import type { FeedChange } from '../../feed/feed-change.js';
import { FeedService, type ReadChanges } from '../../feed/feed.service.js';
import { CursorGoneError } from '../../ledger/errors.js';
import { FairLimiter } from '../../process/fair-limiter.js';
import { WebhookClient, type EndpointResponse } from '../endpoint/webhook-client.js';
import { signatureHeaders } from '../signing/sign.js';
import type { Attempt } from '../webhook-delivery.entity.js';
import { eventsOf } from '../webhook-event.js';
import { DeliveryRecorder } from './delivery-recorder.js';
import { DueDeliveriesRepository, type DueDelivery } from './due-deliveries.repository.js';
import type { HeldWebhook } from './held-webhook.js';
import { stateAfterAttempt, isSuccess, reasonToDisable } from './retry-schedule.js';
import type { WebhookState } from './webhook-leases.repository.js';
import { WebhookMetrics } from './webhook-metrics.js';

const PAGE_SIZE = 100;
/** Leaves database connections for requests, however many webhooks there are. */
const MAX_CONCURRENT_READS = 2;

/** An attempt that is interrupted, as when the instance stops, is not counted, and is repeated. */
type AttemptOutcome = 'received' | 'failed' | 'interrupted';

/** Delivers events to one endpoint, one after the other. */
@Injectable()
export class EndpointDelivery {
  private readonly logger = new Logger(EndpointDelivery.name);
  private readonly readLimiter = new FairLimiter(MAX_CONCURRENT_READS);

  constructor(
    private readonly feed: FeedService,
    private readonly repository: DueDeliveriesRepository,
    private readonly recorder: DeliveryRecorder,
    private readonly client: WebhookClient,
    private readonly metrics: WebhookMetrics,
  ) {}

  /**
   * Sends what is due, then the changes after the webhook's position, until an attempt fails.
   *
   * @param mayContinue - called before each attempt and before each page of the feed
   */
  async serve(
    webhook: HeldWebhook,
    { isDue, isBlocked }: WebhookState,
    mayContinue: () => boolean,
  ): Promise<void> {
    const hasSent = !isDue || (await this.sendDue(webhook, isBlocked, mayContinue));
    if (hasSent && !isBlocked) {
      await this.follow(webhook, mayContinue);
    }
    await this.recorder.flush();
  }

  /** An event outside the feed that succeeds proves that the endpoint works, so the changes need not wait any longer. */
  private async sendDue(
    webhook: HeldWebhook,
    isBlocked: boolean,
    mayContinue: () => boolean,
  ): Promise<boolean> {
    const due = await this.readLimiter.run(() => this.repository.find(webhook));
    for (const delivery of due) {
      if (!mayContinue() || (await this.attempt(webhook, delivery, mayContinue)) !== 'received') {
        return false;
      }
    }
    if (isBlocked && due.length > 0 && due.every(({ position }) => position === null)) {
      await this.recorder.flush();
      await this.repository.retryNow(webhook);
    }
    return true;
  }

  private async follow(webhook: HeldWebhook, mayContinue: () => boolean): Promise<void> {
    let hasMore = true;
    while (hasMore && mayContinue()) {
      const page = await this.read(webhook);
      for (const change of page.changes) {
        if (!(await this.deliver(webhook, change, mayContinue))) {
          return;
        }
      }
      hasMore = page.hasMore && page.changes.length > 0;
    }
  }

  /** @throws {CursorGoneError} when a failover lost changes that were delivered; the stored position is right */
  private async read(webhook: HeldWebhook): Promise<ReadChanges> {
    const { accountId, position, changeId } = webhook;
    try {
      return await this.readLimiter.run(() => this.feed.read(accountId, { position, changeId }, PAGE_SIZE));
    } catch (error) {
      webhook.isStale ||= changeId !== null && error instanceof CursorGoneError;
      throw error;
    }
  }

  /** @returns false if the changes after this one must wait */
  private async deliver(
    webhook: HeldWebhook,
    change: FeedChange,
    mayContinue: () => boolean,
  ): Promise<boolean> {
    const events = eventsOf(change).filter(({ type }) => webhook.events.has(type));
    const position = String(change.position);
    for (const [index, event] of events.entries()) {
      if (!mayContinue()) {
        return false;
      }
      const outcome = await this.attempt(
        webhook,
        { ...event, position, tries: 0, dueAt: null, wasUnreachable: false },
        mayContinue,
      );
      if (outcome === 'failed') {
        this.moveTo(webhook, change, events.slice(index + 1));
      }
      if (outcome !== 'received') {
        return false;
      }
    }
    this.moveTo(webhook, change, []);
    return true;
  }

  /** @param unsent - events of the change, which wait together with the one that failed */
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

  private async attempt(
    webhook: HeldWebhook,
    delivery: DueDelivery,
    mayContinue: () => boolean,
  ): Promise<AttemptOutcome> {
    const sentAt = new Date();
    const { wasUnreachable, ...event } = delivery;
    const headers = signatureHeaders(event.id, event.body, webhook.secrets, sentAt);
    const response = await this.client.post(webhook.endpoint, headers, event.body);
    const succeeded = isSuccess(response);
    if (response.statusCode === 0 && !mayContinue()) {
      return 'interrupted';
    }
    const isUnconfirmed = response.isUnreachable && !wasUnreachable;
    if (succeeded) {
      webhook.failingSince = null;
      this.metrics.countSuccess((Date.now() - event.createdAt.getTime()) / 1_000);
    } else if (isUnconfirmed) {
      this.handOver(webhook);
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

  /** Lets another instance try, since the network of this one may be the cause. */
  private handOver(webhook: HeldWebhook): void {
    webhook.isStale = true;
    webhook.isUnreachable = true;
    this.metrics.countFailure();
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
  return {
    id: uuidv7(),
    sent_at: sentAt.toISOString(),
    http_status_code: statusCode,
    response: body,
    error,
  };
}
