import type { FeedService } from '../../src/feed/feed.service.js';
import type { DeliveryRecorder } from '../../src/webhooks/delivery/delivery-recorder.js';
import type { DueDeliveriesRepository } from '../../src/webhooks/delivery/due-deliveries.repository.js';
import { EndpointDelivery } from '../../src/webhooks/delivery/endpoint-delivery.js';
import type { HeldWebhook } from '../../src/webhooks/delivery/held-webhook.js';
import type { WebhookState } from '../../src/webhooks/delivery/webhook-leases.repository.js';
import type { WebhookMetrics } from '../../src/webhooks/delivery/webhook-metrics.js';
import type { WebhookClient } from '../../src/webhooks/endpoint/webhook-client.js';

describe('a webhook that wants none of the changes', () => {
  it('stops between two pages of the feed', async () => {
    let pages = 0;
    const change = {
      type: 'preference.changed',
      topic: { id: 'news', subscription: 'opt_out' },
      id: 'change',
      createdAt: '2026-01-15T09:30:00.000Z',
      causes: [],
    };
    const feed = {
      read: async () => ({ changes: [{ ...change, position: ++pages }], hasMore: pages < 10 }),
    };
    const recorder = { record: () => undefined, flush: async () => undefined };
    const delivery = new EndpointDelivery(
      feed as unknown as FeedService,
      {} as DueDeliveriesRepository,
      recorder as unknown as DeliveryRecorder,
      {} as WebhookClient,
      {} as WebhookMetrics,
    );
    const webhook = {
      accountId: 1,
      position: 0,
      changeId: null,
      events: new Set(),
    } as unknown as HeldWebhook;
    const state = { isDue: false, isBlocked: false } as WebhookState;
    await delivery.serve(webhook, state, () => pages < 3);
    expect(pages).toBe(3);
  });
});
