import type { DataSource } from 'typeorm';
import { DeliveryRecorder, type RecordedDelivery } from '../../src/webhooks/delivery/delivery-recorder.js';
import type { HeldWebhook } from '../../src/webhooks/delivery/webhook-leases.js';
import type { WebhookLeasesRepository } from '../../src/webhooks/delivery/webhook-leases.repository.js';

const WEBHOOK = {} as HeldWebhook;

const delivery = (attempt: string) =>
  ({ webhookId: 'webhook', id: 'event', attempts: [{ id: attempt }] }) as RecordedDelivery;

/** The first write fails, and during it another attempt is recorded. */
class UnluckyRecorder extends DeliveryRecorder {
  readonly stored: RecordedDelivery[] = [];
  private writes = 0;

  protected override async store(deliveries: RecordedDelivery[]): Promise<void> {
    if (++this.writes === 1) {
      this.record(WEBHOOK, [delivery('second')]);
      throw new Error('The database is unavailable.');
    }
    this.stored.push(...deliveries);
  }
}

describe('the delivery recorder', () => {
  it('keeps every attempt when a write fails', async () => {
    const recorder = new UnluckyRecorder({} as DataSource, {} as WebhookLeasesRepository);
    recorder.record(WEBHOOK, [delivery('first')]);
    await expect(recorder.flush()).rejects.toThrow();
    await recorder.flush();
    expect(recorder.stored.map(({ attempts }) => attempts.map(({ id }) => id))).toEqual([
      ['first', 'second'],
    ]);
  });
});
