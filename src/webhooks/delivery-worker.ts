import { setTimeout as delay } from 'node:timers/promises';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { FeedService } from '../feed/feed.service.js';
import { Backoff } from './backoff.js';
import { DeliveryRecorder } from './delivery-recorder.js';
import { EndpointDelivery } from './endpoint-delivery.js';
import type { HeldWebhook } from './held-webhook.js';
import {
  HeldWebhooksRepository,
  LEASE_MS,
  type ClaimedWebhook,
  type WebhookState,
} from './held-webhooks.repository.js';
import { SigningSecrets, type SigningSecret } from './signing-secrets.js';
import { UnreadableWebhooks } from './unreadable-webhooks.js';
import { TIMEOUT_MS, WebhookClient } from './webhook-client.js';
import { WebhookMetrics } from './webhook-metrics.js';

const TICK_MS = 200;
const CLAIM_MS = 1_000;
const RENEW_MS = 10_000;
/** An attempt begins only if it ends while the lease lasts. */
const ATTEMPT_MS = TIMEOUT_MS + 1_000;
/** A webhook that this instance fails to serve does not fill the log. */
const REST_MS = 5_000;
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
  private readonly held = new Map<string, HeldWebhook>();
  private readonly unreadable = new UnreadableWebhooks();
  private readonly serving = new Set<Promise<void>>();
  private readonly lastRun = new Map<() => Promise<void>, number>();
  private readonly backoff = new Backoff();
  private timer?: NodeJS.Timeout;
  private ticking?: Promise<void>;
  private isStopping = false;
  private leaseEnds = 0;

  constructor(
    private readonly repository: HeldWebhooksRepository,
    private readonly delivery: EndpointDelivery,
    private readonly recorder: DeliveryRecorder,
    private readonly feed: FeedService,
    private readonly secrets: SigningSecrets,
    private readonly client: WebhookClient,
    private readonly adapterHost: HttpAdapterHost,
    metrics: WebhookMetrics,
  ) {
    metrics.watch(() => [...this.held.values()]);
  }

  /** Commands have no HTTP server, and deliver nothing. */
  onApplicationBootstrap(): void {
    if (this.adapterHost.httpAdapter) {
      this.timer = setInterval(() => {
        if (this.backoff.isOver) {
          this.ticking ??= this.tick()
            .then(() => this.noteSuccess())
            .catch((error: unknown) => this.noteFailure(error))
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
    if (this.held.size > 0) {
      await this.recorder.flush().catch((error: unknown) => this.report(error, 'webhooks were left'));
      await this.repository.release([...this.held.keys()]).catch(() => undefined);
    }
  }

  private async tick(): Promise<void> {
    await this.recorder.flush();
    await this.every(RENEW_MS, this.renew);
    const hasFreed = this.held.size > 0 && (await this.serveAll());
    await this.every(hasFreed ? 0 : CLAIM_MS, this.claim);
  }

  /** @returns whether webhooks are free to be claimed */
  private async serveAll(): Promise<boolean> {
    const states = await this.repository.states();
    const hasFreed = await this.dropStale(states);
    const now = performance.now();
    const idle = [...this.held.values()].filter(
      ({ isStale, isServed, restsUntil }) => !isStale && !isServed && restsUntil <= now,
    );
    const heads = await this.feed.heads(idle.map(({ accountId }) => accountId));
    for (const webhook of idle) {
      const state = states.get(webhook.id)!;
      if (state.isDue || (!state.isBlocked && heads.get(webhook.accountId)! > webhook.position)) {
        this.serve(webhook, state);
      }
    }
    return hasFreed;
  }

  /** Gives back the webhooks that callers or attempts changed, so that whoever claims them reads them again. */
  private async dropStale(states: Map<string, WebhookState>): Promise<boolean> {
    for (const webhook of this.held.values()) {
      const state = states.get(webhook.id);
      webhook.isStale = state?.version !== webhook.version || !state.isEnabled;
    }
    const dropped = [...this.held.values()].filter(({ isStale, isServed }) => isStale && !isServed);
    if (dropped.length > 0) {
      await this.repository.release(dropped.map(({ id }) => id));
      dropped.forEach(({ id }) => this.held.delete(id));
    }
    return dropped.length > 0;
  }

  private serve(webhook: HeldWebhook, state: WebhookState): void {
    webhook.isServed = true;
    const work = this.delivery
      .serve(webhook, state, () => this.mayServe(webhook))
      .catch((error: unknown) => {
        webhook.restsUntil = performance.now() + REST_MS;
        this.report(error, 'delivering to a webhook failed');
      })
      .finally(() => {
        webhook.isServed = false;
        this.serving.delete(work);
      });
    this.serving.add(work);
  }

  private mayServe({ isStale, disabledReason }: HeldWebhook): boolean {
    const isLeased = performance.now() + ATTEMPT_MS < this.leaseEnds;
    return isLeased && !this.isStopping && !isStale && disabledReason === null;
  }

  private readonly renew = async (): Promise<void> => {
    const now = performance.now();
    const webhooks = [...this.held.values()];
    const renewed = new Set(webhooks.length > 0 ? await this.repository.renew([...this.held.keys()]) : []);
    webhooks.filter(({ id }) => !renewed.has(id)).forEach((webhook) => (webhook.isStale = true));
    this.leaseEnds = now + LEASE_MS;
  };

  private readonly claim = async (): Promise<void> => {
    const claimed = await this.repository.claim([...this.held.keys(), ...this.unreadable.left()]);
    const released: string[] = [];
    for (const webhook of claimed) {
      const secrets = this.readSecrets(webhook);
      if (secrets) {
        this.held.set(webhook.id, toHeld(webhook, secrets));
      } else {
        released.push(webhook.id);
      }
    }
    if (released.length > 0) {
      await this.repository.release(released);
    }
  };

  private async every(milliseconds: number, work: () => Promise<void>): Promise<void> {
    if (performance.now() - (this.lastRun.get(work) ?? -Infinity) >= milliseconds) {
      const now = performance.now();
      await work();
      this.lastRun.set(work, now);
    }
  }

  /** Null if another instance has to deliver to the webhook. */
  private readSecrets({ id, signingSecrets }: ClaimedWebhook): SigningSecret[] | null {
    try {
      const secrets = this.secrets.decryptAll(id, signingSecrets);
      this.unreadable.delete(id);
      return secrets;
    } catch (error) {
      if (this.unreadable.add(id)) {
        this.logger.error({
          msg: 'the signing secret of a webhook cannot be read: SECRETS_KEY is not the one that encrypted it',
          webhook: id,
          error: (error as Error).name,
        });
      }
      return null;
    }
  }

  private noteSuccess(): void {
    if (this.backoff.succeed()) {
      this.logger.log('this instance delivers webhooks again');
    }
  }

  private noteFailure(error: unknown): void {
    const code = String((error as { code?: unknown }).code);
    const isReadOnly = code === READ_ONLY;
    if (!this.backoff.fail(code, isReadOnly ? MAX_READ_ONLY_BACKOFF_MS : MAX_BACKOFF_MS)) {
      return;
    }
    if (isReadOnly) {
      this.logger.warn('this instance delivers no webhooks while its database is read-only');
    } else {
      this.report(error, 'delivering webhooks failed');
    }
  }

  /** Messages of the database may quote addresses: only the kind of error is logged. */
  private report(error: unknown, msg: string): void {
    const { name = typeof error } = error instanceof Error ? error : {};
    this.logger.error({ msg, error: name, code: (error as { code?: unknown }).code });
  }
}

function toHeld(webhook: ClaimedWebhook, secrets: SigningSecret[]): HeldWebhook {
  return {
    ...webhook,
    events: new Set(webhook.events),
    secrets,
    position: Number(webhook.position),
    disabledReason: null,
    isStale: false,
    isServed: false,
    restsUntil: 0,
  };
}
