import { Logger } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import type { DeliveryRecorder } from '../../src/webhooks/delivery/delivery-recorder.js';
import { DeliveryWorker } from '../../src/webhooks/delivery/delivery-worker.js';
import type { EndpointDelivery } from '../../src/webhooks/delivery/endpoint-delivery.js';
import { WebhookLeases } from '../../src/webhooks/delivery/webhook-leases.js';
import type { WebhookLeasesRepository } from '../../src/webhooks/delivery/webhook-leases.repository.js';
import type { WebhookMetrics } from '../../src/webhooks/delivery/webhook-metrics.js';
import type { WebhookClient } from '../../src/webhooks/endpoint/webhook-client.js';
import type { SigningSecrets } from '../../src/webhooks/signing-secrets.js';

const MINUTE_MS = 60_000;
const WEBHOOK = { id: 'webhook', accountId: 1, version: 0, events: [], position: '0', changeId: null };

describe('the delivery worker', () => {
  let lines: unknown[];
  let limits: number[];
  let problem: string | null;
  let claimable: object[];
  let served: number;
  let serve: EndpointDelivery['serve'];
  let flush: () => Promise<void>;
  let released: string[];
  let client: { mayBeCutOff: boolean; close(): void };
  let decryptAll: SigningSecrets['decryptAll'];
  let worker: DeliveryWorker;
  beforeEach(() => {
    jest.useFakeTimers();
    lines = [];
    const log = (line: unknown) => void lines.push(line);
    Logger.overrideLogger({ log, warn: log, error: log });
    limits = [];
    problem = null;
    claimable = [];
    served = 0;
    serve = async () => undefined;
    flush = async () => undefined;
    released = [];
    client = { close: () => undefined, mayBeCutOff: false };
    decryptAll = () => [];
    const repository = {
      release: async (ids: string[]) => void released.push(...ids),
      claim: async (exceptIds: string[], limit: number) => {
        limits.push(limit);
        if (problem) {
          throw Object.assign(new Error(problem), { code: problem });
        }
        return claimable.filter((webhook) => !exceptIds.includes((webhook as typeof WEBHOOK).id));
      },
    };
    const leases = new WebhookLeases(
      repository as unknown as WebhookLeasesRepository,
      { decryptAll: (...args) => decryptAll(...args) } as Pick<
        SigningSecrets,
        'decryptAll'
      > as SigningSecrets,
      { watch: () => undefined } as unknown as WebhookMetrics,
    );
    const delivery: Pick<EndpointDelivery, 'serve'> = {
      serve: (...args) => {
        served++;
        return serve(...args);
      },
    };
    worker = new DeliveryWorker(
      leases,
      delivery as EndpointDelivery,
      { flush: () => flush() } as unknown as DeliveryRecorder,
      client as unknown as WebhookClient,
      { httpAdapter: {} } as HttpAdapterHost,
    );
    worker.onApplicationBootstrap();
  });
  afterEach(async () => {
    await worker.beforeApplicationShutdown();
    jest.useRealTimers();
  });

  it('tries once a minute while the database is read-only, says so once, and resumes when it is not', async () => {
    problem = '25006';
    await jest.advanceTimersByTimeAsync(30 * MINUTE_MS);
    expect(limits.length).toBeLessThan(40);
    expect(lines).toEqual(['the database is read-only; this instance delivers no webhooks']);
    problem = null;
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(lines.slice(1)).toEqual(['webhook delivery works again']);
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(limits.length).toBeGreaterThan(90);
  });

  it('leaves a webhook whose secret it cannot read to others for a minute, and says so once', async () => {
    decryptAll = () => {
      throw new Error('The secret cannot be read.');
    };
    claimable = [WEBHOOK];
    await jest.advanceTimersByTimeAsync(5.5 * MINUTE_MS);
    expect(released).toHaveLength(6);
    expect(lines).toMatchObject([{ webhooks: [WEBHOOK.id] }]);
    decryptAll = () => [];
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(served).toBeGreaterThan(0);
  });

  it('does not claim a webhook again while it serves it', async () => {
    claimable = [WEBHOOK];
    let respond = () => undefined as void;
    serve = () => new Promise((resolve) => (respond = resolve));
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect({ served, released }).toEqual({ served: 1, released: [] });
    claimable = [];
    respond();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(released).toEqual([WEBHOOK.id]);
  });

  it('releases a webhook only after its results are stored', async () => {
    claimable = [WEBHOOK];
    serve = async () => {
      claimable = [];
      flush = async () => {
        throw new Error('The database is unavailable.');
      };
    };
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect({ served, released }).toEqual({ served: 1, released: [] });
    flush = async () => undefined;
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(released).toEqual([WEBHOOK.id]);
  });

  it('claims one webhook at a time while it may have lost its network', async () => {
    client.mayBeCutOff = true;
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(new Set(limits)).toEqual(new Set([1]));
    client.mayBeCutOff = false;
    await jest.advanceTimersByTimeAsync(1_000);
    expect(Math.max(...limits)).toBeGreaterThan(1);
  });

  it('leaves a webhook whose endpoint it cannot reach to others for ten seconds', async () => {
    claimable = [WEBHOOK];
    serve = async (webhook) => void (webhook.isUnreachable = true);
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(served).toBeGreaterThanOrEqual(5);
    expect(served).toBeLessThan(8);
  });

  it('tries every five seconds to serve a webhook that it fails to serve', async () => {
    claimable = [WEBHOOK];
    serve = async () => {
      throw new Error('The feed cannot be read.');
    };
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(served).toBeGreaterThan(8);
    expect(served).toBeLessThan(15);
  });

  it('tries every five seconds while the database is unavailable, and reports each kind of problem once', async () => {
    problem = 'ECONNREFUSED';
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(limits.length).toBeGreaterThanOrEqual(12);
    expect(limits.length).toBeLessThan(20);
    problem = '57P03';
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(lines).toMatchObject([{ code: 'ECONNREFUSED' }, { code: '57P03' }]);
  });
});
