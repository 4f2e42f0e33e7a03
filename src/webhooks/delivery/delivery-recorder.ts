import { Injectable } from '@nestjs/common';
import type { HeldWebhook } from './held-webhook.js';
import { RecordedDeliveriesRepository, type RecordedDelivery } from './recorded-deliveries.repository.js';

/** Gathers the results of all webhooks and stores them together. Until then a crash repeats deliveries, but loses none. */
@Injectable()
export class DeliveryRecorder {
  private deliveries = new Map<string, RecordedDelivery>();
  private webhooks = new Set<HeldWebhook>();
  private writing: Promise<void> = Promise.resolve();
  private next?: Promise<void>;

  constructor(private readonly repository: RecordedDeliveriesRepository) {}

  record(webhook: HeldWebhook, deliveries: RecordedDelivery[]): void {
    this.webhooks.add(webhook);
    deliveries.forEach((delivery) => this.add(delivery));
  }

  /** Returns when everything is stored that was recorded before the call. */
  flush(): Promise<void> {
    this.next ??= this.writing
      .catch(() => undefined)
      .then(() => {
        this.next = undefined;
        this.writing = this.write();
        return this.writing;
      });
    return this.next;
  }

  private add(delivery: RecordedDelivery): void {
    const key = `${delivery.webhookId} ${delivery.id}`;
    const { attempts = [], dueAt = delivery.dueAt } = this.deliveries.get(key) ?? {};
    this.deliveries.set(key, { ...delivery, dueAt, attempts: [...attempts, ...delivery.attempts] });
  }

  private async write(): Promise<void> {
    const { deliveries, webhooks } = this;
    if (webhooks.size === 0) {
      return;
    }
    this.deliveries = new Map();
    this.webhooks = new Set();
    try {
      await this.repository.record([...deliveries.values()], [...webhooks]);
    } catch (error) {
      const later = this.deliveries;
      this.deliveries = deliveries;
      later.forEach((delivery) => this.add(delivery));
      this.webhooks = new Set([...webhooks, ...this.webhooks]);
      throw error;
    }
  }
}
