import { setTimeout as delay } from 'node:timers/promises';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { codeOf, isReadOnly } from '../../database/errors.js';
import { describeError } from '../../process/logger.js';
import { WebhookClient } from '../endpoint/webhook-client.js';
import { DeliveryRecorder } from './delivery-recorder.js';
import { EndpointDelivery } from './endpoint-delivery.js';
import { WebhookLeases, type HeldWebhook } from './webhook-leases.js';

/** The longest time between two claims. It varies, so that no instance always comes first. */
const TICK_MS = 200;
const BATCH = 50;
const MAX_HELD = 1_000;
/** How long this instance leaves a webhook to others after failing to serve it, so that failures do not flood the log. */
const PAUSE_MS = 5_000;
/** The same, after the endpoint was unreachable. */
const UNREACHABLE_MS = 10_000;
/** How long a stopping instance waits for attempts in flight. */
const STOP_MS = 3_000;
const MAX_BACKOFF_MS = 5_000;
/** This instance uses a read replica, or a former primary. Meanwhile, other instances may deliver. */
const MAX_READ_ONLY_BACKOFF_MS = 60_000;

/**
 * Delivers events inside the service. Instances claim webhooks with something to send, in small batches, under a lease; if an
 * instance dies, another one takes over when the lease ends.
 */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(DeliveryWorker.name);
  private readonly serving = new Set<Promise<void>>();
  private readonly backoff = new Backoff();
  private timer?: NodeJS.Timeout;
  private ticking?: Promise<void>;
  private releasing: Promise<void> = Promise.resolve();

  constructor(
    private readonly leases: WebhookLeases,
    private readonly delivery: EndpointDelivery,
    private readonly recorder: DeliveryRecorder,
    private readonly client: WebhookClient,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  /** Commands have no HTTP server, and deliver nothing. */
  onApplicationBootstrap(): void {
    if (this.adapterHost.httpAdapter) {
      this.schedule();
    }
  }

  /** Finishes the attempts in flight, and leaves the webhooks to other instances. */
  async beforeApplicationShutdown(): Promise<void> {
    this.delivery.isStopping = true;
    clearTimeout(this.timer);
    await this.ticking;
    await Promise.race([Promise.all(this.serving), delay(STOP_MS, undefined, { ref: false })]);
    this.client.close();
    await Promise.all(this.serving);
    await this.releaseServed().catch((error: unknown) =>
      this.report(error, 'could not store the last webhook deliveries'),
    );
  }

  private schedule(): void {
    this.timer = setTimeout(
      () => {
        this.wake();
        this.schedule();
      },
      (TICK_MS * (1 + Math.random())) / 2,
    );
  }

  private wake(): void {
    if (this.backoff.isOver && !this.delivery.isStopping) {
      this.ticking ??= this.tick()
        .then(() => this.onSuccess())
        .catch((error: unknown) => this.onFailure(error))
        .finally(() => (this.ticking = undefined));
    }
  }

  private async tick(): Promise<void> {
    await this.releaseServed();
    let claimed = 0;
    do {
      const limit = this.batchSize();
      const webhooks = limit > 0 ? await this.leases.claim(limit) : [];
      webhooks.forEach((webhook) => this.serve(webhook));
      claimed = webhooks.length;
    } while (claimed === BATCH);
  }

  /** An instance that may have lost its network claims one webhook at a time, to test the network. */
  private batchSize(): number {
    return this.client.mayBeCutOff ? 1 : Math.min(BATCH, MAX_HELD - this.leases.held.length);
  }

  /** Stores the results of all attempts, and then releases the webhooks that were served. */
  private releaseServed(): Promise<void> {
    const release = async (): Promise<void> => {
      const served = this.leases.held.filter(({ isServed }) => !isServed);
      await this.recorder.flush();
      if (served.length > 0) {
        await this.leases.release(served);
      }
    };
    this.releasing = this.releasing.then(release, release);
    return this.releasing;
  }

  private serve(webhook: HeldWebhook): void {
    const work = this.delivery
      .serve(webhook)
      .catch((error: unknown) => {
        this.leases.avoid(webhook.id, PAUSE_MS);
        this.report(error, 'delivering to a webhook failed');
      })
      .finally(() => {
        this.serving.delete(work);
        this.onServed(webhook);
      });
    this.serving.add(work);
  }

  /** Releases a webhook. If that fails, the next tick retries and reports the error. */
  private onServed(webhook: HeldWebhook): void {
    webhook.isServed = false;
    if (webhook.isUnreachable) {
      this.leases.avoid(webhook.id, UNREACHABLE_MS);
    }
    const hasMore = performance.now() >= webhook.servedUntil;
    void this.releaseServed().then(
      () => hasMore && this.wake(),
      () => undefined,
    );
  }

  private onSuccess(): void {
    if (this.backoff.succeed()) {
      this.logger.log('webhook delivery works again');
    }
  }

  private onFailure(error: unknown): void {
    const maxDelayMs = isReadOnly(error) ? MAX_READ_ONLY_BACKOFF_MS : MAX_BACKOFF_MS;
    if (!this.backoff.fail(codeOf(error), maxDelayMs)) {
      return;
    }
    if (isReadOnly(error)) {
      this.logger.warn('the database is read-only; this instance delivers no webhooks');
    } else {
      const msg = 'could not claim or release webhooks in the database; the next run tries again';
      this.logger.warn({ msg, ...describeError(error) });
    }
  }

  private report(error: unknown, msg: string): void {
    this.logger.error({ msg, ...describeError(error) });
  }
}

const FIRST_DELAY_MS = 1_000;

/** Backs off after failures, and determines which failures are worth a log line. */
class Backoff {
  private delayMs = 0;
  private until = -Infinity;
  private cause?: string;

  get isOver(): boolean {
    return performance.now() >= this.until;
  }

  /**
   * Doubles the delay.
   *
   * @returns whether the failure is new: the last time, the work succeeded, or failed for another reason
   */
  fail(cause: string, maxDelayMs: number): boolean {
    const isNew = cause !== this.cause;
    this.cause = cause;
    this.delayMs = Math.min(isNew ? FIRST_DELAY_MS : this.delayMs * 2, maxDelayMs);
    this.until = performance.now() + this.delayMs;
    return isNew;
  }

  /** @returns whether the work had failed the last time */
  succeed(): boolean {
    const hadFailed = this.cause !== undefined;
    this.cause = undefined;
    return hadFailed;
  }
}
