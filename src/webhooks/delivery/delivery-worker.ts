import { setTimeout as delay } from 'node:timers/promises';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { FeedService } from '../../feed/feed.service.js';
import { TIMEOUT_MS, WebhookClient } from '../endpoint/webhook-client.js';
import { Backoff } from './backoff.js';
import { DeliveryRecorder } from './delivery-recorder.js';
import { EndpointDelivery } from './endpoint-delivery.js';
import type { HeldWebhook } from './held-webhook.js';
import { WebhookLeases } from './webhook-leases.js';
import type { WebhookState } from './webhook-leases.repository.js';

const TICK_MS = 200;
const CLAIM_MS = 1_000;
const RENEW_MS = 10_000;
const REQUEST_SHARE_MS = 10_000;
/** The most webhooks to ask for at once. */
const MAX_REQUESTED = 10_000;
/** An instance that may have lost its network asks for one webhook at a time, to find out. */
const REQUEST_ONE_MS = 60_000;
/** An attempt begins only if it ends while the lease lasts. */
const ATTEMPT_MS = TIMEOUT_MS + 1_000;
/** The pause after this instance failed to serve a webhook, so that failures do not flood the log. */
const PAUSE_MS = 5_000;
/** For the attempts in flight when the instance stops. */
const STOP_MS = 3_000;
const MAX_BACKOFF_MS = 5_000;
/** Another instance may deliver meanwhile: this one uses a read replica, or a server that was a primary. */
const MAX_READ_ONLY_BACKOFF_MS = 60_000;
/** SQLSTATE read_only_sql_transaction. */
const READ_ONLY = '25006';

/**
 * Delivers events inside the service. Instances share the webhooks by leases: one instance serves a webhook, and if it dies,
 * another one takes over when the lease ends.
 */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(DeliveryWorker.name);
  private readonly serving = new Set<Promise<void>>();
  private readonly renew = () => this.leases.renew();
  private readonly claim = () => this.leases.claim();
  private readonly requestShare = () => this.leases.requestShare(this.client.mayBeCutOff ? 1 : MAX_REQUESTED);
  private readonly lastRun = new Map<() => Promise<void>, number>();
  private readonly backoff = new Backoff();
  private timer?: NodeJS.Timeout;
  private ticking?: Promise<void>;
  private isStopping = false;

  constructor(
    private readonly leases: WebhookLeases,
    private readonly delivery: EndpointDelivery,
    private readonly recorder: DeliveryRecorder,
    private readonly feed: FeedService,
    private readonly client: WebhookClient,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  /** Commands have no HTTP server, and deliver nothing. */
  onApplicationBootstrap(): void {
    if (this.adapterHost.httpAdapter) {
      this.timer = setInterval(() => {
        if (this.backoff.isOver) {
          this.ticking ??= this.tick()
            .then(() => this.onSuccess())
            .catch((error: unknown) => this.onFailure(error))
            .finally(() => (this.ticking = undefined));
        }
      }, TICK_MS);
    }
  }

  /** Finishes the attempts in flight, and leaves the webhooks to other instances. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.isStopping = true;
    await this.ticking;
    await Promise.race([Promise.all(this.serving), delay(STOP_MS, undefined, { ref: false })]);
    this.client.close();
    await Promise.all(this.serving);
    if (this.leases.held.length > 0) {
      await this.recorder
        .flush()
        .catch((error: unknown) => this.report(error, 'could not store the last webhook deliveries'));
      await this.leases.releaseAll().catch(() => undefined);
    }
  }

  private async tick(): Promise<void> {
    await this.recorder.flush();
    await this.every(RENEW_MS, this.renew);
    const hasFreed = this.leases.held.length > 0 && (await this.serveAll());
    await this.every(hasFreed ? 0 : CLAIM_MS, this.claim);
    await this.every(this.client.mayBeCutOff ? REQUEST_ONE_MS : REQUEST_SHARE_MS, this.requestShare);
  }

  /** @returns whether webhooks are free to be claimed */
  private async serveAll(): Promise<boolean> {
    const states = await this.leases.readStates();
    const hasFreed = await this.leases.dropStale(states);
    const now = performance.now();
    const idle = this.leases.held.filter(
      ({ isStale, isServed, pausedUntil }) => !isStale && !isServed && pausedUntil <= now,
    );
    const heads = await this.feed.heads(idle.map(({ accountId }) => accountId));
    for (const webhook of idle) {
      const state = states.get(webhook.id)!;
      if (state.isDue || (!state.isBlocked && heads.get(webhook.accountId) !== webhook.position)) {
        this.serve(webhook, state);
      }
    }
    return hasFreed;
  }

  private serve(webhook: HeldWebhook, state: WebhookState): void {
    webhook.isServed = true;
    const work = this.delivery
      .serve(webhook, state, () => this.mayServe(webhook))
      .catch((error: unknown) => {
        webhook.pausedUntil = performance.now() + PAUSE_MS;
        this.report(error, 'delivering to a webhook failed');
      })
      .finally(() => {
        webhook.isServed = false;
        this.serving.delete(work);
      });
    this.serving.add(work);
  }

  private mayServe({ isStale, disabledReason }: HeldWebhook): boolean {
    return this.leases.areValidFor(ATTEMPT_MS) && !this.isStopping && !isStale && disabledReason === null;
  }

  private async every(milliseconds: number, work: () => Promise<void>): Promise<void> {
    if (performance.now() - (this.lastRun.get(work) ?? -Infinity) >= milliseconds) {
      const now = performance.now();
      await work();
      this.lastRun.set(work, now);
    }
  }

  private onSuccess(): void {
    if (this.backoff.succeed()) {
      this.logger.log('webhook delivery works again');
    }
  }

  private onFailure(error: unknown): void {
    const code = String((error as { code?: unknown }).code);
    const isReadOnly = code === READ_ONLY;
    if (!this.backoff.fail(code, isReadOnly ? MAX_READ_ONLY_BACKOFF_MS : MAX_BACKOFF_MS)) {
      return;
    }
    if (isReadOnly) {
      this.logger.warn('the database is read-only; this instance delivers no webhooks');
    } else {
      this.report(error, 'webhook delivery failed');
    }
  }

  /** Logs the class and code of an error, not its message, which may quote addresses. */
  private report(error: unknown, msg: string): void {
    const { name = typeof error } = error instanceof Error ? error : {};
    this.logger.error({ msg, error: name, code: (error as { code?: unknown }).code });
  }
}
