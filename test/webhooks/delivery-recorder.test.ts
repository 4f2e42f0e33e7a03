import { DeliveryRecorder } from '../../src/webhooks/delivery/delivery-recorder.js';
import type { HeldWebhook } from '../../src/webhooks/delivery/held-webhook.js';
import type {
  RecordedDeliveriesRepository,
  RecordedDelivery,
} from '../../src/webhooks/delivery/recorded-deliveries.repository.js';

const delivery = (attempt: string) =>
  ({ webhookId: 'webhook', id: 'event', attempts: [{ id: attempt }] }) as RecordedDelivery;

describe('the delivery recorder', () => {
  it('keeps every attempt when a write fails', async () => {
    const stored: RecordedDelivery[] = [];
    const webhook = {} as HeldWebhook;
    let writes = 0;
    const record = async (deliveries: RecordedDelivery[]) => {
      if (++writes === 1) {
        recorder.record(webhook, [delivery('second')]);
        throw new Error('The database is unavailable.');
      }
      stored.push(...deliveries);
    };
    const recorder = new DeliveryRecorder({ record } as unknown as RecordedDeliveriesRepository);
    recorder.record(webhook, [delivery('first')]);
    await expect(recorder.flush()).rejects.toThrow();
    await recorder.flush();
    expect(stored.map(({ attempts }) => attempts.map(({ id }) => id))).toEqual([['first', 'second']]);
  });
});
