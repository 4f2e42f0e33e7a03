import type { DataSource } from 'typeorm';
import type { FeedService } from '../../src/feed/feed.service.js';
import type { DeliveryRecorder, RecordedDelivery } from '../../src/webhooks/delivery/delivery-recorder.js';
import { EndpointDelivery } from '../../src/webhooks/delivery/endpoint-delivery.js';
import type { HeldWebhook } from '../../src/webhooks/delivery/webhook-leases.js';
import type { WebhookMetrics } from '../../src/webhooks/delivery/webhook-metrics.js';
import type { WebhookClient } from '../../src/webhooks/endpoint/webhook-client.js';

const changeOf = (position: number) => ({
  type: 'preference.changed',
  email: 'ada@example.com',
  topic: { id: 'news', subscription: 'opt_out' },
  id: 'change',
  createdAt: '2026-01-15T09:30:00.000Z',
  causes: [],
  position,
});

describe('a webhook that wants none of the changes', () => {
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

describe('a webhook that wants a change in both formats', () => {
  const events = new Set(['contact.topics.updated', 'preference.changed']);

  /** Serves one change. Returns what was recorded and where the webhook is then. */
  const serve = async (statusCode: number, onPost: (delivery: EndpointDelivery) => void) => {
    const recorded: Pick<RecordedDelivery, 'type' | 'status' | 'position'>[] = [];
    const delivery: EndpointDelivery = new EndpointDelivery(
      { read: async () => ({ changes: [changeOf(7)], hasMore: false }) } as unknown as FeedService,
      {} as DataSource,
      {
        record: (_webhook: unknown, deliveries: RecordedDelivery[]) =>
          recorded.push(...deliveries.map(({ type, status, position }) => ({ type, status, position }))),
      } as unknown as DeliveryRecorder,
      {
        post: async () => {
          onPost(delivery);
          return { statusCode, body: '', error: null, isUnreachable: false, retryAfterMs: null };
        },
      } as unknown as WebhookClient,
      { countSuccess: () => undefined } as unknown as WebhookMetrics,
    );
    const webhook = {
      accountId: 1,
      position: 6,
      events,
      secrets: [],
      disabledReason: null,
      servedUntil: performance.now() + 2_000,
    };
    await delivery.serve(webhook as unknown as HeldWebhook);
    return { recorded, position: webhook.position };
  };
  const first = { type: 'contact.topics.updated', status: 'success', position: '7' };
  const second = { type: 'preference.changed', status: 'pending', position: '7' };

  afterEach(() => {
    jest.useRealTimers();
  });

  it('continues with the second event if its time was over after the first', async () => {
    jest.useFakeTimers();
    const { recorded, position } = await serve(200, () => jest.advanceTimersByTime(2_500));
    expect(recorded).toEqual([first, second]);
    expect(position).toBe(7);
  });

  it('continues with the second event if the instance stopped after the first', async () => {
    const { recorded, position } = await serve(200, (delivery) => (delivery.isStopping = true));
    expect(recorded).toEqual([first, second]);
    expect(position).toBe(7);
  });

  it('gets both events again if the instance stopped during the first', async () => {
    const { recorded, position } = await serve(0, (delivery) => (delivery.isStopping = true));
    expect(recorded).toEqual([]);
    expect(position).toBe(6);
  });
});
