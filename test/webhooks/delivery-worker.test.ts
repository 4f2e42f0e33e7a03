import { Logger } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import type { FeedService } from '../../src/feed/feed.service.js';
import type { DeliveryRecorder } from '../../src/webhooks/delivery/delivery-recorder.js';
import { DeliveryWorker } from '../../src/webhooks/delivery/delivery-worker.js';
import type { EndpointDelivery } from '../../src/webhooks/delivery/endpoint-delivery.js';
import { WebhookLeases } from '../../src/webhooks/delivery/webhook-leases.js';
import type { WebhookLeasesRepository } from '../../src/webhooks/delivery/webhook-leases.repository.js';
import type { WebhookMetrics } from '../../src/webhooks/delivery/webhook-metrics.js';
import type { WebhookClient } from '../../src/webhooks/endpoint/webhook-client.js';
import type { SigningSecrets } from '../../src/webhooks/signing/signing-secrets.js';

const MINUTE_MS = 60_000;
const WEBHOOK = { id: 'webhook', accountId: 1, version: 0, events: [], position: '0', changeId: null };
const STATE = { version: 0, isEnabled: true, isBlocked: false };

describe('the delivery worker', () => {
  let lines: unknown[];
  let claims: number;
  let failures: number;
  let problem: string | null;
  let claimable: object[];
  let renewals: string[][];
  let renew: WebhookLeasesRepository['renew'];
  let readStates: () => Promise<Map<string, object>>;
  let isDue: boolean;
  let serve: EndpointDelivery['serve'];
  let released: string[];
  let shareRequests: number;
  let changed: string[];
  let decryptAll: SigningSecrets['decryptAll'];
  let worker: DeliveryWorker;
  beforeEach(() => {
    jest.useFakeTimers();
    lines = [];
    const log = (line: unknown) => void lines.push(line);
    Logger.overrideLogger({ log, warn: log, error: log });
    claims = 0;
    failures = 0;
    problem = null;
    claimable = [];
    renewals = [];
    renew = async (ids) => {
      if (problem) {
        throw Object.assign(new Error(problem), { code: problem });
      }
      renewals.push(ids);
      return ids;
    };
    readStates = async () => new Map([[WEBHOOK.id, { ...STATE, isDue }]]);
    isDue = false;
    serve = fail;
    released = [];
    shareRequests = 0;
    changed = [];
    decryptAll = () => [];
    const repository = {
      renew: (ids: string[]) => renew(ids),
      readStates: () => readStates(),
      requestShare: async () => void shareRequests++,
      findChanged: async () => changed,
      release: async (ids: string[]) => void released.push(...ids),
      claim: async () => {
        claims++;
        if (problem) {
          throw Object.assign(new Error(problem), { code: problem });
        }
        return claimable.splice(0);
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
    worker = new DeliveryWorker(
      leases,
      { serve: (...args) => serve(...args) } as Pick<EndpointDelivery, 'serve'> as EndpointDelivery,
      { flush: async () => undefined } as unknown as DeliveryRecorder,
      { heads: async () => new Map([[WEBHOOK.accountId, 0]]) } as unknown as FeedService,
      { close: () => undefined, mayBeCutOff: false } as unknown as WebhookClient,
      { httpAdapter: {} } as HttpAdapterHost,
    );
    worker.onApplicationBootstrap();
  });
  const fail = async () => {
    failures++;
    throw new Error('The feed cannot be read.');
  };
  afterEach(async () => {
    await worker.beforeApplicationShutdown();
    jest.useRealTimers();
  });

  it('tries once a minute while the database is read-only, says so once, and resumes when it is not', async () => {
    problem = '25006';
    await jest.advanceTimersByTimeAsync(30 * MINUTE_MS);
    expect(claims).toBeLessThan(40);
    expect(lines).toEqual(['the database is read-only; this instance delivers no webhooks']);
    problem = null;
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(lines.slice(1)).toEqual(['webhook delivery works again']);
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(claims).toBeGreaterThan(90);
  });

  it('renews the leases of the webhooks that it knows, and gives up those that another instance took', async () => {
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(renewals).toEqual([]);
    claimable = [WEBHOOK];
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(renewals.length).toBeGreaterThan(4);
    expect(new Set(renewals.flat())).toEqual(new Set([WEBHOOK.id]));
    renew = async () => [];
    readStates = async () => new Map();
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(released).toEqual([WEBHOOK.id]);
  });

  it('asks for no share while it cannot read a secret, until that webhook is changed or deleted', async () => {
    decryptAll = () => {
      throw new Error('The secret cannot be read.');
    };
    claimable = [WEBHOOK];
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    const before = shareRequests;
    await jest.advanceTimersByTimeAsync(5 * MINUTE_MS);
    expect({ released, shareRequests }).toEqual({ released: [WEBHOOK.id], shareRequests: before });
    changed = [WEBHOOK.id];
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(shareRequests).toBeGreaterThan(before);
  });

  describe('that serves a slow endpoint', () => {
    let mayGoOn: () => boolean;
    let respond: () => void;
    let endReading: () => void;
    beforeEach(async () => {
      endReading = () => undefined;
      claimable = [WEBHOOK];
      isDue = true;
      serve = (_webhook, _state, mayAttempt) => {
        mayGoOn = mayAttempt;
        return new Promise((resolve) => (respond = resolve));
      };
      await jest.advanceTimersByTimeAsync(MINUTE_MS);
    });
    afterEach(() => {
      endReading();
      respond();
    });

    it('goes on for longer than a lease lasts, by renewing it', () => {
      expect(mayGoOn()).toBe(true);
      expect(released).toEqual([]);
    });

    it('stops before the lease ends while it cannot be renewed', async () => {
      problem = 'ECONNREFUSED';
      await jest.advanceTimersByTimeAsync(MINUTE_MS / 2);
      expect(mayGoOn()).toBe(false);
    });

    it('stops as soon as it learns that another instance took the webhook', async () => {
      renew = async () => {
        readStates = () => new Promise((resolve) => (endReading = () => resolve(new Map())));
        return [];
      };
      await jest.advanceTimersByTimeAsync(MINUTE_MS / 4);
      expect(mayGoOn()).toBe(false);
    });
  });

  it('tries every five seconds to serve a webhook that it fails to serve', async () => {
    claimable = [WEBHOOK];
    isDue = true;
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(failures).toBeGreaterThan(8);
    expect(failures).toBeLessThan(15);
  });

  it('tries every five seconds while the database is unavailable, and reports each kind of problem once', async () => {
    problem = 'ECONNREFUSED';
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(claims).toBeGreaterThanOrEqual(12);
    expect(claims).toBeLessThan(20);
    problem = '57P03';
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(lines).toMatchObject([{ code: 'ECONNREFUSED' }, { code: '57P03' }]);
  });
});
