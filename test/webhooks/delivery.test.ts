import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import { Webhook } from 'standardwebhooks';
import type { DataSource } from 'typeorm';
import type { FeedService } from '../../src/feed/feed.service.js';
import { SecretsCipher } from '../../src/secrets/secrets-cipher.js';
import { DeliveryRecorder, type RecordedDelivery } from '../../src/webhooks/delivery/delivery-recorder.js';
import { DeliveryWorker } from '../../src/webhooks/delivery/delivery-worker.js';
import { EndpointDelivery } from '../../src/webhooks/delivery/endpoint-delivery.js';
import {
  reasonToDisable,
  RETRY_DELAYS_MS,
  stateAfterAttempt,
} from '../../src/webhooks/delivery/retry-schedule.js';
import { type HeldWebhook, WebhookLeases } from '../../src/webhooks/delivery/webhook-leases.js';
import type { WebhookLeasesRepository } from '../../src/webhooks/delivery/webhook-leases.repository.js';
import type { WebhookMetrics } from '../../src/webhooks/delivery/webhook-metrics.js';
import { EndpointResolver } from '../../src/webhooks/endpoint/endpoint-network.js';
import { WebhookClient } from '../../src/webhooks/endpoint/webhook-client.js';
import { signatureHeaders, SigningSecrets } from '../../src/webhooks/signing-secrets.js';
import { type NameServer, startNameServer } from '../support/servers/name-server.js';
import { until } from '../support/until.js';

const MINUTE_MS = 60_000;
const IDLE_WEBHOOK = { id: 'webhook', accountId: 1, version: 0, events: [], position: '0', changeId: null };

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
        return claimable.filter((webhook) => !exceptIds.includes((webhook as typeof IDLE_WEBHOOK).id));
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
    claimable = [IDLE_WEBHOOK];
    await jest.advanceTimersByTimeAsync(5.5 * MINUTE_MS);
    expect(released).toHaveLength(6);
    expect(lines).toMatchObject([{ webhooks: [IDLE_WEBHOOK.id] }]);
    decryptAll = () => [];
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(served).toBeGreaterThan(0);
  });

  it('does not claim a webhook again while it serves it', async () => {
    claimable = [IDLE_WEBHOOK];
    let respond = () => undefined as void;
    serve = () => new Promise((resolve) => (respond = resolve));
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect({ served, released }).toEqual({ served: 1, released: [] });
    claimable = [];
    respond();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(released).toEqual([IDLE_WEBHOOK.id]);
  });

  it('releases a webhook only after its results are stored', async () => {
    claimable = [IDLE_WEBHOOK];
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
    expect(released).toEqual([IDLE_WEBHOOK.id]);
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
    claimable = [IDLE_WEBHOOK];
    serve = async (webhook) => void (webhook.isUnreachable = true);
    await jest.advanceTimersByTimeAsync(MINUTE_MS);
    expect(served).toBeGreaterThanOrEqual(5);
    expect(served).toBeLessThan(8);
  });

  it('tries every five seconds to serve a webhook that it fails to serve', async () => {
    claimable = [IDLE_WEBHOOK];
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
    const msg = expect.stringContaining('in the database; the next run tries again');
    expect(lines).toMatchObject([
      { msg, code: 'ECONNREFUSED' },
      { msg, code: '57P03' },
    ]);
  });
});

describe('the delivery recorder', () => {
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

describe('the lookup of endpoint names', () => {
  let server: NameServer;
  let folder: string;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'hosts-'))));
  afterEach(() => server.close());
  afterAll(() => rm(folder, { recursive: true }));

  const writeHosts = async (text: string): Promise<string> => {
    const file = join(folder, 'hosts');
    await writeFile(file, text);
    return file;
  };
  const lookupAt = (file?: string, limits = { timeout: 2_000, tries: 2 }) => {
    const resolver = new Resolver(limits);
    resolver.setServers([server.address]);
    return new EndpointResolver(resolver, file);
  };
  const find = (lookup: EndpointResolver, name: string, family: number) =>
    new Promise((resolve) => {
      lookup.find(name, { family }, (error, address) => resolve(error?.code ?? address));
    });

  it('asks the name server, and reads the hosts file first', async () => {
    server = await startNameServer((name, family) => {
      const addresses = { 4: [203, 0, 113, 7], 6: [0x20, 0x01, 0x0d, 0xb8, ...Array(11).fill(0), 1] };
      return name === 'no.example' ? 'unknown' : name === 'empty.example' ? [] : addresses[family];
    });
    const lookup = lookupAt(
      await writeHosts('# local\n10.0.0.1\tOffice.example relay # ours\n::1 six.example\n'),
    );
    expect(await find(lookup, 'hooks.example', 4)).toBe('203.0.113.7');
    expect(await find(lookup, 'hooks.example', 6)).toBe('2001:db8::1');
    expect(await find(lookup, 'no.example', 4)).toBe('ENOTFOUND');
    expect(await find(lookup, 'empty.example', 4)).toBe('ENODATA');
    expect(server.queries).toBe(4);
    expect(await find(lookup, 'office.example', 4)).toBe('10.0.0.1');
    expect(await find(lookup, 'relay', 4)).toBe('10.0.0.1');
    expect(await find(lookup, 'six.example', 6)).toBe('::1');
    expect(server.queries).toBe(4);
    expect(await find(lookup, 'six.example', 4)).toBe('203.0.113.7');
    expect(await find(lookupAt(join(folder, 'missing')), 'relay', 4)).toBe('203.0.113.7');
  });

  it('uses all addresses of a name, so that a retry avoids one that is down', async () => {
    server = await startNameServer(() => null);
    const addresses = ['203.0.113.7', '203.0.113.8'];
    const resolver = { resolve4: async () => addresses } as unknown as Resolver;
    const lookup = new EndpointResolver(resolver, await writeHosts(''));
    const found = await Promise.all(Array.from({ length: 100 }, () => find(lookup, 'two.example', 4)));
    expect([...new Set(found)].toSorted()).toEqual(addresses);
  });

  it('gives up on a name server that does not respond, and delays no file and no other name meanwhile', async () => {
    server = await startNameServer(() => null);
    const lookup = lookupAt(await writeHosts(''), { timeout: 100, tries: 2 });
    let ended = 0;
    const client = new WebhookClient([], lookup);
    const attempts = Array.from({ length: 20 }, async (_, index) => {
      const { error } = await client.post(`http://dead${index}.example/`, {}, '{}');
      ended++;
      return error;
    });
    await readFile(join(folder, 'hosts'));
    await systemLookup('localhost');
    expect(ended).toBe(0);
    expect(new Set(await Promise.all(attempts))).toEqual(
      new Set(['The request failed: ETIMEOUT. No name server answered in time.']),
    );
    client.close();
  });

  it('ends its queries when the client closes', async () => {
    server = await startNameServer(() => null);
    const client = new WebhookClient([], lookupAt(await writeHosts(''), { timeout: 60_000, tries: 1 }));
    const attempt = client.post('http://dead.example/', {}, '{}');
    await until(() => server.queries === 1);
    client.close();
    expect(await attempt).toMatchObject({ statusCode: 0 });
  });

  it('finds a public name with a private address, to which the client does not connect', async () => {
    server = await startNameServer((_name, family) =>
      family === 4 ? [127, 0, 0, 1] : [...Array(15).fill(0), 1],
    );
    let connections = 0;
    const target = createServer()
      .on('connection', () => connections++)
      .listen(0, '::');
    await once(target, 'listening');
    const { port } = target.address() as AddressInfo;
    const client = new WebhookClient([], lookupAt(await writeHosts('')));
    const { error } = await client.post(`http://rebind.example:${port}/`, {}, '{}');
    expect(error).toContain('is not public');
    expect(connections).toBe(0);
    target.close();
    client.close();
  });

  it('leads to the IPv6 address of a name that has no other one', async () => {
    server = await startNameServer((_name, family) => (family === 4 ? [] : [...Array(15).fill(0), 1]));
    const target = createServer((_request, response) => response.end('six')).listen(0, '::1');
    await once(target, 'listening');
    const { port } = target.address() as AddressInfo;
    const client = new WebhookClient(['::1/128'], lookupAt(await writeHosts('')));
    expect(await client.post(`http://six.example:${port}/`, {}, '{}')).toMatchObject({ body: 'six' });
    client.close();
    target.close();
  });
});

const NOW = new Date('2026-01-15T09:30:00Z');
const HOUR_MS = 60 * MINUTE_MS;
const response = (statusCode: number, retryAfterMs: number | null = null) => ({
  statusCode,
  retryAfterMs,
  body: '',
  error: null,
  isUnreachable: false,
});
const delayAfter = (tries: number, retryAfterMs: number | null, random: number) =>
  stateAfterAttempt(tries, response(503, retryAfterMs), NOW, random).nextAttemptAt!.getTime() - NOW.getTime();

describe('the schedule of retries', () => {
  it('waits 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h, and up to a fifth longer', () => {
    const tries = RETRY_DELAYS_MS.map((_delay, index) => index + 1);
    const expected = [
      5_000,
      5 * MINUTE_MS,
      30 * MINUTE_MS,
      2 * HOUR_MS,
      5 * HOUR_MS,
      10 * HOUR_MS,
      10 * HOUR_MS,
    ];
    expect(tries.map((number) => delayAfter(number, null, 0))).toEqual(expected);
    expect(tries.map((number) => delayAfter(number, null, 1))).toEqual(expected.map((ms) => ms * 1.2));
  });

  it('gives up after the eighth attempt', () => {
    expect(stateAfterAttempt(8, response(500), NOW)).toEqual({
      status: 'failed',
      tries: 8,
      nextAttemptAt: null,
    });
  });

  it.each([200, 204, 299])('treats %i as a success', (status) => {
    expect(stateAfterAttempt(3, response(status), NOW)).toEqual({
      status: 'success',
      tries: 3,
      nextAttemptAt: null,
    });
  });

  it.each([0, 199, 301, 304, 400, 410, 500])('treats %i as a failure', (status) => {
    expect(stateAfterAttempt(1, response(status), NOW)).toMatchObject({ status: 'pending' });
  });

  it('honours Retry-After up to a day, but never retries earlier than planned', () => {
    expect(delayAfter(1, HOUR_MS, 0)).toBe(HOUR_MS);
    expect(delayAfter(1, 100 * HOUR_MS, 0)).toBe(24 * HOUR_MS);
    expect(delayAfter(4, 1_000, 0)).toBe(2 * HOUR_MS);
  });

  it('disables after 410, and after five days of failures that include seven hours of one event', () => {
    const since = (hours: number) => new Date(NOW.getTime() - hours * HOUR_MS);
    expect(reasonToDisable(1, response(410), NOW, NOW)).toBe('gone');
    expect(reasonToDisable(6, response(500), since(119), NOW)).toBeNull();
    expect(reasonToDisable(6, response(500), since(120), NOW)).toBe('failing');
    expect(reasonToDisable(5, response(500), since(120), NOW)).toBeNull();
  });
});

const WEBHOOK_ID = '0198a5f6-3e2d-7c1b-8a90-4b5c6d7e8f90';
const EVENT = '0198a5f6-4a10-7d2c-9b01-5c6d7e8f9a0b';
const BODY = '{"type":"webhook.test"}';

describe('the signatures of events', () => {
  const secrets = new SigningSecrets(new SecretsCipher('a5'.repeat(32)));
  const now = new Date();
  const at = (hours: number) => new Date(now.getTime() + hours * HOUR_MS);
  const signaturesAt = (stored: ReturnType<SigningSecrets['rotate']>, time: Date) =>
    signatureHeaders(EVENT, BODY, secrets.decryptAll(WEBHOOK_ID, stored), time)['webhook-signature']!.split(
      ' ',
    );

  it('are those of Standard Webhooks, under both names', () => {
    const stored = [secrets.generate(WEBHOOK_ID)];
    const secret = secrets.current(WEBHOOK_ID, stored);
    const headers = signatureHeaders(EVENT, BODY, secrets.decryptAll(WEBHOOK_ID, stored), now);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    expect(new Webhook(secret).verify(BODY, headers)).toEqual(JSON.parse(BODY));
    for (const name of ['id', 'timestamp', 'signature']) {
      expect(headers[`svix-${name}`]).toBe(headers[`webhook-${name}`]);
    }
  });

  it('are made with the old secret, too, for 24 hours after a rotation', () => {
    const first = [secrets.generate(WEBHOOK_ID)];
    const second = secrets.rotate(WEBHOOK_ID, first, now);
    expect(signaturesAt(second, at(23))).toHaveLength(2);
    expect(signaturesAt(second, at(23))).toEqual(expect.arrayContaining(signaturesAt(first, at(23))));
    expect(signaturesAt(second, at(24))).toHaveLength(1);
    const third = secrets.rotate(WEBHOOK_ID, second, at(12));
    expect(signaturesAt(third, at(23))).toHaveLength(3);
    expect(signaturesAt(third, at(25))).toHaveLength(2);
    expect(secrets.rotate(WEBHOOK_ID, third, at(48))).toHaveLength(2);
    const often = Array.from({ length: 6 }).reduce<typeof first>(
      (stored) => secrets.rotate(WEBHOOK_ID, stored, now),
      first,
    );
    expect(signaturesAt(often, now)).toHaveLength(5);
  });

  it('are made with the new secret alone if the key of the old one was lost', () => {
    const lost = [new SigningSecrets(new SecretsCipher('b6'.repeat(32))).generate(WEBHOOK_ID)];
    expect(() => secrets.decryptAll(WEBHOOK_ID, lost)).toThrow(
      /cannot be decrypted: .* If it is lost, replace the secret: docs.alerts\.md says how\.$/,
    );
    expect(signaturesAt(secrets.rotate(WEBHOOK_ID, lost, now), at(1))).toHaveLength(1);
  });

  it('can still be made after a change of the key if that of a replaced secret was lost', () => {
    const lost = [new SigningSecrets(new SecretsCipher('b6'.repeat(32))).generate(WEBHOOK_ID)];
    const rotated = secrets.rotate(WEBHOOK_ID, lost, now);
    const changed = new SigningSecrets(new SecretsCipher('c7'.repeat(32), 'a5'.repeat(32)));
    const stored = changed.reencrypt(WEBHOOK_ID, rotated)!;
    expect(stored).toHaveLength(1);
    expect(changed.current(WEBHOOK_ID, stored)).toBe(secrets.current(WEBHOOK_ID, rotated));
    expect(changed.reencrypt(WEBHOOK_ID, stored)).toBeNull();
    expect(() => changed.reencrypt(WEBHOOK_ID, lost)).toThrow(/cannot be decrypted/);
  });

  it('cannot be made with the secret of another webhook', () => {
    expect(() => secrets.current(EVENT, [secrets.generate(WEBHOOK_ID)])).toThrow(/cannot be decrypted/);
  });
});
