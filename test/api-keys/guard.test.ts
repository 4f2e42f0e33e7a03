import { getDataSourceToken } from '@nestjs/typeorm';
import express, { type Request } from 'express';
import request from 'supertest';
import type { DataSource } from 'typeorm';
import { AccountsService } from '../../src/accounts/accounts.service.js';
import { ApiKeysService } from '../../src/api-keys/api-keys.service.js';
import { CallersService } from '../../src/api-keys/callers.service.js';
import { LOOKUPS } from '../../src/database/database.module.js';
import { poolOf } from '../../src/database/pool.js';
import { clientNetworkOf, networkOf } from '../../src/http/server/network-addresses.js';
import { stopClock } from '../support/clock.js';
import { OPERATOR } from '../support/operator.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { createKey, createWorld, type World } from '../support/world.js';

/** So soon every instance refuses a key that may not be used anymore. */
const PROMISED_MS = 5_000;

describe('the API key guard', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const get = (authorization?: string) => {
    const lookup = world.anyone.get('/suppressions');
    return authorization === undefined ? lookup : lookup.set('Authorization', authorization);
  };
  /** Waits for something that holds after the promised time. */
  const untilPromised = async (condition: () => unknown) => {
    const clock = stopClock({ laterMs: PROMISED_MS });
    await until(condition).finally(() => clock.start());
  };
  const untilRefused = async (authorization: string) => {
    await untilPromised(async () => (await get(authorization)).status !== 200);
    return get(authorization);
  };
  const accounts = () => world.app.get(AccountsService);
  const apiKeys = () => world.app.get(ApiKeysService);
  const callers = () => world.app.get(CallersService);

  it.each([undefined, '', ' ', 'Bearer', 'Bearer '])('answers 401 missing_api_key for %j', async (header) => {
    const { body, headers } = await get(header).expect(401);
    expect(body).toMatchObject({ statusCode: 401, name: 'missing_api_key' });
    expect(headers['www-authenticate']).toBe('Bearer');
  });

  it.each(['Bearer sup_unknown', 'Basic dXNlcjpwYXNz', 'sup_unknown', 'Bearer a b', 'Token x', 'Bearer ü'])(
    'answers 403 invalid_api_key for %j',
    async (header) => {
      const { body } = await get(Buffer.from(header).toString('latin1')).expect(403);
      expect(body).toMatchObject({ statusCode: 403, name: 'invalid_api_key' });
    },
  );

  it('accepts the scheme in any letter case', () => get(`bEARER ${world.alice}`).expect(200));

  it('refuses a key that is revoked or expired', async () => {
    const account = await accounts().create(OPERATOR, 'initech', true);
    const create = (expiresAt: Date | null) =>
      apiKeys().create(
        { accountId: account.id, actor: OPERATOR, deadline: Infinity },
        { name: 'test', scopes: ['suppressions:read'], expiresAt },
      );
    const revoked = await create(null);
    await get(`Bearer ${revoked.secret}`).expect(200);
    await apiKeys().revoke({ accountId: account.id, actor: OPERATOR, deadline: Infinity }, revoked.id);
    const expired = await create(new Date(Date.now() - 1000));
    const expiring = await create(new Date(Date.now() + 60_000));
    for (const { secret } of [revoked, expired]) {
      const { body } = await untilRefused(`Bearer ${secret}`);
      expect(body).toMatchObject({ statusCode: 403, name: 'invalid_api_key' });
    }
    await get(`Bearer ${expiring.secret}`).expect(200);
  });

  it('refuses the keys of an account that is not admitted to the beta, or is suspended', async () => {
    const account = await accounts().create(OPERATOR, 'umbrella', false);
    const { secret } = await apiKeys().create(
      { accountId: account.id, actor: OPERATOR, deadline: Infinity },
      {
        name: 'test',
        scopes: ['suppressions:read'],
        expiresAt: null,
      },
    );
    const refused = await get(`Bearer ${secret}`).expect(403);
    expect(refused.body).toMatchObject({
      statusCode: 403,
      name: 'restricted_api_key',
      code: 'beta_access_required',
    });
    await accounts().admit(OPERATOR, 'umbrella');
    await get(`Bearer ${secret}`).expect(200);
    await accounts().suspend(OPERATOR, 'umbrella');
    const suspended = await untilRefused(`Bearer ${secret}`);
    expect(suspended.body).toMatchObject({
      statusCode: 403,
      name: 'restricted_api_key',
      code: 'beta_access_required',
      message: expect.stringContaining('suspended'),
    });
  });

  it('lets a key with suppressions:check ask about addresses, but not read the list', async () => {
    const mailer = world.as(await createKey(world, ['suppressions:check']));
    await mailer
      .post('/suppressions/check')
      .send({ emails: ['ada@example.com'] })
      .expect(200);
    await mailer.post('/scrubs').type('text/csv').send('email\nada@example.com\n').expect(200);
    const paths = ['', '/ada@example.com', '/ada@example.com/history', '/count', '/summary'];
    for (const path of ['/exports', ...paths.map((rest) => `/suppressions${rest}`)]) {
      const { body } = await mailer.get(path).expect(401);
      expect(body).toMatchObject({ name: 'restricted_api_key' });
    }
  });

  it('refuses what a key may no longer do after its scopes were narrowed', async () => {
    const account = await accounts().create(OPERATOR, 'hooli', true);
    const { id, secret } = await apiKeys().create(
      { accountId: account.id, actor: OPERATOR, deadline: Infinity },
      {
        name: 'test',
        scopes: ['suppressions:read', 'suppressions:write'],
        expiresAt: null,
      },
    );
    const add = () => world.as(secret).post('/suppressions').send({ email: 'ada@example.com' });
    expect((await add()).status).toBe(201);
    await world.database.query(`UPDATE api_keys SET scopes = '{suppressions:read}' WHERE id = $1`, [id]);
    await untilPromised(async () => (await add()).status === 401);
    expect((await add()).body).toMatchObject({ statusCode: 401, name: 'restricted_api_key' });
    await get(`Bearer ${secret}`).expect(200);
  });

  it('works on every instance for a key that is created, revoked or expires on another one', async () => {
    const account = await accounts().create(OPERATOR, 'vandelay', true);
    const create = (expiresAt: Date | null) =>
      apiKeys().create(
        { accountId: account.id, actor: OPERATOR, deadline: Infinity },
        { name: 'test', scopes: ['suppressions:read'], expiresAt },
      );
    const other = await startTestApp(world.database.url);
    try {
      const statusFor = async (secret: string) =>
        (await request(other.url).get('/suppressions').set('Authorization', `Bearer ${secret}`)).status;
      const revoked = await create(null);
      expect(await statusFor(revoked.secret)).toBe(200);
      await apiKeys().revoke({ accountId: account.id, actor: OPERATOR, deadline: Infinity }, revoked.id);
      await untilPromised(async () => (await statusFor(revoked.secret)) === 403);
      const expiring = await create(new Date(Date.now() + 60_000));
      expect(await statusFor(expiring.secret)).toBe(200);
      await world.database.query('UPDATE api_keys SET expires_at = now() WHERE id = $1', [expiring.id]);
      await untilPromised(async () => (await statusFor(expiring.secret)) === 403);
    } finally {
      await other.close();
    }
  });

  it('does not query the database for text that cannot be a key', async () => {
    const lock = await world.database.lock('api_keys');
    const digits = 'a'.repeat(48);
    try {
      const near = [
        `sup_${digits}a`,
        `sup_${digits.slice(1)}`,
        `sup_${digits.toUpperCase()}`,
        `SUP_${digits}`,
      ];
      for (const secret of [...near, `sup_${digits.slice(1)}g`, `re_${digits}`, 'x']) {
        const { body } = await get(`Bearer ${secret}`).expect(403);
        expect(body).toMatchObject({ statusCode: 403, name: 'invalid_api_key' });
      }
    } finally {
      await lock.release();
    }
    await get(`Bearer sup_${digits}`).expect(403);
  });

  it('keeps a cached key if an older lookup fails later', async () => {
    const key = await createKey(world);
    const pool = poolOf(world.app.get<DataSource>(getDataSourceToken(LOOKUPS)));
    let failLate: (() => void) | undefined;
    const query = jest.spyOn(pool, 'query');
    query.mockImplementationOnce(
      () => new Promise((_, fail) => (failLate = () => fail(new Error('too late')))),
    );
    const older = callers().authenticate(key);
    await until(() => failLate !== undefined);
    await untilPromised(() => callers().authenticate(key) !== older);
    const newer = callers().authenticate(key);
    await newer;
    failLate!();
    await expect(older).rejects.toThrow('too late');
    expect(callers().authenticate(key)).toBe(newer);
    query.mockRestore();
  });

  it('looks up keys that arrive together in two statements at most', async () => {
    const query = jest.spyOn(poolOf(world.app.get<DataSource>(getDataSourceToken(LOOKUPS))), 'query');
    const unknown = Array.from({ length: 100 }, (_, number) => `sup_${String(number).padStart(48, '0')}`);
    const outcomes = await Promise.allSettled(
      [...unknown, world.charlie].map((secret) => callers().authenticate(secret)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual([...unknown.map(() => 'rejected'), 'fulfilled']);
    const lookups = query.mock.calls.filter(
      ([statement]) => (statement as { name?: string }).name === 'find-callers',
    );
    expect(lookups.length).toBeLessThanOrEqual(2);
    query.mockRestore();
  });

  it('keeps no secret in memory', async () => {
    await callers().authenticate(world.alice);
    const remembered = [...callers()['callers'].keys()];
    expect(remembered.length).toBeGreaterThan(0);
    expect(remembered.filter((key) => key.startsWith('sup_'))).toEqual([]);
  });

  it.each([
    ['post', '/suppressions'],
    ['post', '/suppressions/batch/add'],
    ['post', '/suppressions/batch/remove'],
    ['delete', '/suppressions/ada@example.com'],
  ] as const)('answers 401 restricted_api_key to a read-only key for %s %s', async (method, path) => {
    const { body } = await world
      .as(world.bob)
      [method](path)
      .send({ emails: ['a@example.com'] })
      .expect(401);
    expect(body).toMatchObject({ statusCode: 401, name: 'restricted_api_key' });
    expect(body.message).toContain('suppressions:write');
  });

  it.each([
    ['get', '/suppressions', 200],
    ['get', '/suppressions/ada@example.com', 404],
    ['get', '/suppressions/ada@example.com/history', 404],
    ['post', '/suppressions/check', 200],
  ] as const)('accepts a read-only key for %s %s', (method, path, status) =>
    world
      .as(world.bob)
      [method](path)
      .send({ emails: ['a@example.com'] })
      .expect(status),
  );

  it('stores only a hash and the prefix of the secret', async () => {
    const rows = await world.database.query<Record<string, unknown>>('SELECT * FROM api_keys');
    const stored = JSON.stringify(rows);
    expect(stored).toContain(world.alice.slice(0, 12));
    expect(stored).not.toContain(world.alice.slice(0, 13));
  });

  it('records the last use to the minute, on whichever instance it was', async () => {
    const row = async () => {
      const [found] = await world.database.query<{ xmin: string; last_used_at: Date | null }>(
        `SELECT xmin, last_used_at FROM api_keys WHERE name = 'charlie'`,
      );
      return found!;
    };
    /** An instance that does not know Charlie yet; what it writes is written when it has closed. */
    const showToAnother = async () => {
      const other = await startTestApp(world.database.url);
      await request(other.url)
        .get('/suppressions')
        .set('Authorization', `Bearer ${world.charlie}`)
        .expect(200);
      await other.close();
    };
    await get(`Bearer ${world.charlie}`).expect(200);
    await until(async () => (await row()).last_used_at !== null);
    const noted = await row();
    await showToAnother();
    expect(await row()).toEqual(noted);
    await world.database.query(
      `UPDATE api_keys SET last_used_at = now() - interval '61 seconds' WHERE name = 'charlie'`,
    );
    const stale = await row();
    await showToAnother();
    await until(async () => (await row()).last_used_at! > stale.last_used_at!);
  });
});

describe('unknown API keys', () => {
  const MAX_FAILURES = 100;

  const UNKNOWN_KEY = `sup_${'a'.repeat(48)}`;

  /** @param proxies - the proxies that the service trusts; false if TRUST_PROXY is not set */
  function forwardedBy(
    ip: string,
    proxies: string[] | false = false,
  ): Pick<Request, 'app' | 'ip' | 'headers'> {
    const app = express().set('trust proxy', proxies);
    return { app, ip, headers: { 'x-forwarded-for': '198.51.100.1' } };
  }

  it.each(['203.0.113.7', '2001:db8::1'])('a forwarding header from %s on the internet is ignored', (ip) => {
    expect(clientNetworkOf(forwardedBy(ip))).toBe(networkOf(ip));
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
    expect(clientNetworkOf(forwardedBy(ip))).toBeUndefined();
    expect(clientNetworkOf({ ...forwardedBy(ip), headers: {} })).toBe(networkOf(ip));
    expect(clientNetworkOf(forwardedBy(ip, []))).toBe(networkOf(ip));
  });

  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['203.0.113.7:50123', '203.0.113.7'],
    ['[2001:db8::1]:50123', '2001:db8:0:0'],
  ])('the network of %s is %s', (address, network) => expect(networkOf(address)).toBe(network));

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

  it('are limited by client address even if the proxy also forwards the port, which is another one each time', async () => {
    const get = await start({ TRUST_PROXY: 'loopback' });
    let port = 50_000;
    const found = await statuses(() => get(UNKNOWN_KEY, { 'X-Forwarded-For': `203.0.113.7:${port++}` }));
    expect(found).toEqual(LIMITED);
  });

  it('are limited by the address of the connection if TRUST_PROXY is none', async () => {
    const get = await start({ TRUST_PROXY: 'none' });
    let client = 0;
    const found = await statuses(() => get(UNKNOWN_KEY, { 'X-Forwarded-For': `203.0.113.${client++}` }));
    expect(found).toEqual(LIMITED);
  });
});
