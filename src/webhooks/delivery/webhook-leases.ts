import { Injectable, Logger } from '@nestjs/common';
import { SigningSecrets, type SigningSecret } from '../signing-secrets.js';
import type { DisabledReason } from '../webhook.entity.js';
import { WebhookLeasesRepository, type ClaimedWebhook } from './webhook-leases.repository.js';
import { WebhookMetrics } from './webhook-metrics.js';

/** A webhook that this instance has claimed. */
export interface HeldWebhook extends Omit<ClaimedWebhook, 'events' | 'position'> {
  readonly events: ReadonlySet<string>;
  readonly secrets: SigningSecret[];
  /** The latest time to begin an attempt, on the clock of `performance.now()`. */
  readonly servedUntil: number;
  /** The last change of the feed whose events were delivered or stored as deliveries. */
  position: number;
  disabledReason: DisabledReason | null;
  /** Whether this instance could not connect to the endpoint, so that another one makes the next attempt. */
  isUnreachable: boolean;
  isServed: boolean;
}

/**
 * A webhook is released after this time, even if there is more to send, so that changes to it take effect and other instances
 * get their share. An attempt that begins within this time ends long before the lease.
 */
const SLICE_MS = 2_000;
/** How long this instance leaves a webhook to others if it cannot read its secrets. */
const UNREADABLE_MS = 60_000;

/** The webhooks that this instance holds. */
@Injectable()
export class WebhookLeases {
  private readonly logger = new Logger(WebhookLeases.name);
  private readonly byId = new Map<string, HeldWebhook>();
  private readonly avoidedUntil = new Map<string, number>();
  private readonly unreadable = new Set<string>();

  constructor(
    private readonly repository: WebhookLeasesRepository,
    private readonly secrets: SigningSecrets,
    metrics: WebhookMetrics,
  ) {
    metrics.watch(() => this.byId.size);
  }

  get held(): HeldWebhook[] {
    return [...this.byId.values()];
  }

  async claim(limit: number): Promise<HeldWebhook[]> {
    const now = performance.now();
    this.avoidedUntil.forEach((until, id) => until < now && this.avoidedUntil.delete(id));
    const exceptIds = [...this.byId.keys(), ...this.avoidedUntil.keys()];
    const claimed = await this.repository.claim(exceptIds, limit);
    const readable = claimed.flatMap((webhook) => {
      const secrets = this.readSecrets(webhook);
      return secrets ? toHeld(webhook, secrets, now + SLICE_MS) : [];
    });
    readable.forEach((webhook) => this.byId.set(webhook.id, webhook));
    if (readable.length < claimed.length) {
      await this.leaveUnreadable(claimed.map(({ id }) => id).filter((id) => !this.byId.has(id)));
    }
    return readable;
  }

  /** Leaves a webhook to other instances for some time. */
  avoid(id: string, milliseconds: number): void {
    this.avoidedUntil.set(id, performance.now() + milliseconds);
  }

  async release(webhooks: HeldWebhook[]): Promise<void> {
    await this.repository.release(webhooks.map(({ id }) => id));
    webhooks.forEach(({ id }) => this.byId.delete(id));
  }

  private async leaveUnreadable(ids: string[]): Promise<void> {
    const webhooks = ids.filter((id) => !this.unreadable.has(id));
    if (webhooks.length > 0) {
      const msg =
        'signing secrets of webhooks cannot be read: SECRETS_KEY is missing, or not the one that encrypted them';
      this.logger.error({ msg, webhooks });
    }
    for (const id of ids) {
      this.unreadable.add(id);
      this.avoid(id, UNREADABLE_MS);
    }
    await this.repository.release(ids);
  }

  /** Returns null if another instance must deliver to the webhook. */
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

function toHeld(webhook: ClaimedWebhook, secrets: SigningSecret[], servedUntil: number): HeldWebhook {
  return {
    ...webhook,
    events: new Set(webhook.events),
    secrets,
    servedUntil,
    position: Number(webhook.position),
    disabledReason: null,
    isUnreachable: false,
    isServed: true,
  };
}
