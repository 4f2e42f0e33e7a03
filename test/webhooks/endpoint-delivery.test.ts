import type { DataSource } from 'typeorm';
import type { FeedService } from '../../src/feed/feed.service.js';
import type { DeliveryRecorder } from '../../src/webhooks/delivery/delivery-recorder.js';
import { EndpointDelivery } from '../../src/webhooks/delivery/endpoint-delivery.js';
import type { HeldWebhook } from '../../src/webhooks/delivery/held-webhook.js';
import type { WebhookMetrics } from '../../src/webhooks/delivery/webhook-metrics.js';
import type { WebhookClient } from '../../src/webhooks/endpoint/webhook-client.js';

describe('a webhook that wants none of the changes', () => {
  const changeOf = (position: number) => ({
    type: 'preference.changed',
    topic: { id: 'news', subscription: 'opt_out' },
    id: 'change',
    createdAt: '2026-01-15T09:30:00.000Z',
    causes: [],
    position,
  });

  /** Serves a feed of ten pages. Returns the number of pages that were read. */
  const serve = async (
    servedUntil: number,
    onPage: (page: number, delivery: EndpointDelivery) => void,
  ): Promise<number> => {
    let pages = 0;
    const feed = {
      read: async () => {
        onPage(++pages, delivery);
        return { changes: [changeOf(pages)], hasMore: pages < 10 };
      },
    };
    const delivery: EndpointDelivery = new EndpointDelivery(
      feed as unknown as FeedService,
      {} as DataSource,
      { record: () => undefined } as unknown as DeliveryRecorder,
      {} as WebhookClient,
      {} as WebhookMetrics,
    );
    const webhook = { accountId: 1, position: 0, events: new Set(), disabledReason: null, servedUntil };
    await delivery.serve(webhook as unknown as HeldWebhook);
    return pages;
  };

  it('is read to the end of the feed', async () => {
    expect(await serve(Infinity, () => undefined)).toBe(10);
  });

  it('stops between two pages of the feed when the instance stops', async () => {
    expect(await serve(Infinity, (page, delivery) => void (delivery.isStopping = page === 3))).toBe(3);
  });

  it('stops between two pages of the feed when its time is over', async () => {
    jest.useFakeTimers();
    expect(await serve(performance.now() + 30, () => jest.advanceTimersByTime(10))).toBe(3);
    jest.useRealTimers();
  });
});
