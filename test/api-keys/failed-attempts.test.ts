import request from 'supertest';
import { clientNetworkOf, networkOf } from '../../src/http/server/network-addresses.js';
import { createWorld, type World } from '../support/world.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const MAX_FAILURES = 100;
const UNKNOWN_KEY = `sup_${'a'.repeat(48)}`;

describe('unknown API keys', () => {
  let world: World;
  const services: TestApp[] = [];
  beforeAll(async () => (world = await createWorld()));
  afterEach(() => Promise.all(services.splice(0).map((service) => service.close())));
  afterAll(() => world.close());

  const start = async (settings: Record<string, string> = {}) => {
    const service = await startTestApp(world.database.url, settings);
    services.push(service);
    return (apiKey: string, headers: Record<string, string> = {}) =>
      request(service.url)
        .get('/suppressions')
        .set({ Authorization: `Bearer ${apiKey}`, ...headers });
  };
  const statuses = async (get: () => request.Test, count = MAX_FAILURES + 2) => {
    const found: number[] = [];
    for (let attempt = 0; attempt < count; attempt++) {
      found.push((await get()).status);
    }
    return found;
  };
  const LIMITED = [...Array<number>(MAX_FAILURES).fill(403), 429, 429];

  it('are limited by client address, with Retry-After', async () => {
    const get = await start();
    expect(await statuses(() => get(UNKNOWN_KEY))).toEqual(LIMITED);
    const { body, headers } = await get(UNKNOWN_KEY);
    expect(body).toMatchObject({ name: 'rate_limit_exceeded', code: 'too_many_failed_attempts' });
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
  });

  it('do not lock out valid keys at the same address, whether the instance has seen them or not', async () => {
    const get = await start();
    await statuses(() => get(UNKNOWN_KEY));
    await get(world.alice).expect(200);
    await get(world.charlie).expect(200);
    await get(UNKNOWN_KEY).expect(429);
  });

  it('are not limited behind a proxy that the service does not know', async () => {
    const get = await start();
    const found = await statuses(() => get(UNKNOWN_KEY, { 'X-Forwarded-For': '203.0.113.7' }));
    expect(new Set(found)).toEqual(new Set([403]));
  });

  it('are limited by the client address that a trusted proxy forwards', async () => {
    const get = await start({ TRUST_PROXY: 'loopback' });
    const from = (address: string) => () =>
      get(UNKNOWN_KEY, { 'X-Forwarded-For': `198.51.100.1, ${address}` });
    expect(await statuses(from('203.0.113.7'))).toEqual(LIMITED);
    await from('203.0.113.8')().expect(403);
    expect(await statuses(from('2001:db8::1'), MAX_FAILURES)).toEqual(LIMITED.slice(0, MAX_FAILURES));
    await from('2001:db8::ffff')().expect(429);
    await from('2001:db8:0:1::1')().expect(403);
  });

  it('are limited by the address of the connection if TRUST_PROXY is none', async () => {
    const get = await start({ TRUST_PROXY: 'none' });
    let client = 0;
    const found = await statuses(() => get(UNKNOWN_KEY, { 'X-Forwarded-For': `203.0.113.${client++}` }));
    expect(found).toEqual(LIMITED);
  });
});

it.each(['203.0.113.7', '2001:db8::1'])('a forwarding header from %s on the internet is ignored', (ip) => {
  expect(clientNetworkOf({ ip, headers: { 'x-forwarded-for': '198.51.100.1' } }, false)).toBe(networkOf(ip));
});

it.each([
  '127.0.0.1',
  '::ffff:10.1.2.3',
  '172.31.0.1',
  '192.168.1.1',
  '100.64.0.1',
  'fd00::1',
  'fe80::1%eth0',
])('a forwarding header from the private address %s means an unknown client', (ip) => {
  const headers = { 'x-forwarded-for': '198.51.100.1' };
  expect(clientNetworkOf({ ip, headers }, false)).toBeUndefined();
  expect(clientNetworkOf({ ip, headers: {} }, false)).toBe(networkOf(ip));
  expect(clientNetworkOf({ ip, headers }, true)).toBe(networkOf(ip));
});

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('the network of %s is %s', (address, network) => expect(networkOf(address)).toBe(network));
