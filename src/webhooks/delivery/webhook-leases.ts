import { Injectable, Logger } from '@nestjs/common';
import { SigningSecrets, type SigningSecret } from '../signing/signing-secrets.js';
import type { HeldWebhook } from './held-webhook.js';
import { UnreadableWebhooks } from './unreadable-webhooks.js';
import {
  LEASE_MS,
  WebhookLeasesRepository,
  type ClaimedWebhook,
  type WebhookState,
} from './webhook-leases.repository.js';
import { WebhookMetrics } from './webhook-metrics.js';

/** How long this instance leaves a webhook to others after it could not reach the endpoint. */
const UNREACHABLE_MS = 10_000;

/** The webhooks that this instance holds. All leases end together. */
@Injectable()
export class WebhookLeases {
  private readonly logger = new Logger(WebhookLeases.name);
  private readonly byId = new Map<string, HeldWebhook>();
  private readonly unreadable = new UnreadableWebhooks();
  /** When webhooks were released because this instance could not reach their endpoint, keyed by id. */
  private readonly unreachable = new Map<string, number>();
  private endsAt = 0;

  constructor(
    private readonly repository: WebhookLeasesRepository,
    private readonly secrets: SigningSecrets,
    metrics: WebhookMetrics,
  ) {
    metrics.watch(() => this.held);
  }

  get held(): HeldWebhook[] {
    return [...this.byId.values()];
  }

  /** Whether no other instance can claim the webhooks for some milliseconds. */
  areValidFor(milliseconds: number): boolean {
    return performance.now() + milliseconds < this.endsAt;
  }

  async claim(): Promise<void> {
    const claimed = await this.repository.claim([
      ...this.byId.keys(),
      ...this.unreadable.recentIds(),
      ...this.unreachableIds(),
    ]);
    const released: string[] = [];
    const unreadable: string[] = [];
    for (const webhook of claimed) {
      const secrets = this.readSecrets(webhook);
      if (secrets) {
        this.byId.set(webhook.id, toHeld(webhook, secrets));
      } else {
        released.push(webhook.id);
        if (this.unreadable.add(webhook.id, webhook.version)) {
          unreadable.push(webhook.id);
        }
      }
    }
    if (unreadable.length > 0) {
      this.logger.error({
        msg: 'signing secrets of webhooks cannot be read: SECRETS_KEY is missing, or not the one that encrypted them',
        webhooks: unreadable,
      });
    }
    if (released.length > 0) {
      await this.repository.release(released);
    }
  }

  async renew(): Promise<void> {
    const now = performance.now();
    const webhooks = this.held;
    const renewed = new Set(webhooks.length > 0 ? await this.repository.renew([...this.byId.keys()]) : []);
    webhooks.filter(({ id }) => !renewed.has(id)).forEach((webhook) => (webhook.isStale = true));
    this.endsAt = now + LEASE_MS;
  }

  /** Requests webhooks from an instance that holds more, unless this one cannot read the secrets of some. */
  async requestShare(limit: number): Promise<void> {
    if (!this.unreadable.isEmpty) {
      const changed = await this.repository.findChanged(this.unreadable.versions);
      changed.forEach((id) => this.unreadable.delete(id));
    }
    if (this.unreadable.isEmpty) {
      await this.repository.requestShare(limit);
    }
  }

  readStates(): Promise<Map<string, WebhookState>> {
    return this.repository.readStates();
  }

  /**
   * Releases the webhooks that another instance requested, and those that were changed, so that the next holder reads them
   * again.
   *
   * @returns whether webhooks are free to be claimed
   */
  async dropStale(states: Map<string, WebhookState>): Promise<boolean> {
    for (const webhook of this.held) {
      const state = states.get(webhook.id);
      webhook.isStale ||= state?.version !== webhook.version || !state.isEnabled || state.isWanted;
    }
    const dropped = this.held.filter(({ isStale, isServed }) => isStale && !isServed);
    if (dropped.length > 0) {
      await this.repository.release(dropped.map(({ id }) => id));
      const now = performance.now();
      for (const { id, isUnreachable } of dropped) {
        this.byId.delete(id);
        if (isUnreachable) {
          this.unreachable.set(id, now);
        }
      }
    }
    return dropped.length > 0;
  }

  async releaseAll(): Promise<void> {
    await this.repository.release([...this.byId.keys()]);
  }

  private unreachableIds(): string[] {
    const since = performance.now() - UNREACHABLE_MS;
    this.unreachable.forEach((leftAt, id) => leftAt < since && this.unreachable.delete(id));
    return [...this.unreachable.keys()];
  }

  /** Null if another instance has to deliver to the webhook. */
  private readSecrets({ id, signingSecrets }: ClaimedWebhook): SigningSecret[] | null {
    try {
      const secrets = this.secrets.decryptAll(id, signingSecrets);
      this.unreadable.delete(id);
      return secrets;
    } catch {
      return null;
    }
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
    isUnreachable: false,
    isServed: false,
    pausedUntil: 0,
  };
}
