import pg from 'pg';
import { NodePools } from '../../../src/database/citus/node-pools.js';
import type { SpreadPoolConfig } from '../../../src/database/citus/spread-pool.js';
import { startProxy, type Proxy } from '../../support/servers/proxy.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { until } from '../../support/until.js';

const NODE = { groupId: 1, host: 'worker', port: 5432 };

describe('the connections to a node', () => {
  let database: TestDatabase;
  let proxy: Proxy;
  let pools: NodePools;
  beforeAll(async () => (database = await createTestDatabase()));
  afterAll(() => database.drop());
  beforeEach(async () => {
    proxy = await startProxy(database.url);
    const topology = { refresh: async () => undefined };
    const config = {
      Client: pg.Client,
      max: 4,
      connectionTimeoutMillis: 60_000,
      topology,
      urlOf: () => proxy.url,
    };
    pools = new NodePools(config as unknown as SpreadPoolConfig, () => undefined);
  });
  afterEach(async () => {
    await proxy.close();
    await pools.end();
  });

  const isRefused = () =>
    pools.connect(NODE).then(
      (client) => void client.release(),
      () => true,
    );

  it('may break while they are idle, and others still work', async () => {
    const [idle, busy] = [await pools.connect(NODE), await pools.connect(NODE)];
    idle.release();
    const broken = new Promise((resolve) => pools.all[0]!.once('remove', resolve));
    proxy.cut();
    proxy.restore();
    await broken;
    await expect(busy.query('SELECT 1')).rejects.toThrow();
    busy.release(true);
    for (let probes = 0; probes < 20; probes++) {
      expect(await isRefused()).toBeUndefined();
      expect(pools.isUp(NODE)).toBe(true);
    }
  });

  it('fail together when the node refuses new ones, until it is back', async () => {
    const client = await pools.connect(NODE);
    proxy.cut();
    await until(() => !pools.isUp(NODE));
    client.release(true);
    expect(await isRefused()).toBe(true);
    proxy.restore();
    await until(() => pools.isUp(NODE));
    expect(await isRefused()).toBeUndefined();
  });

  it('fail together when the node does not reply, also while statements wait for it', async () => {
    const clients = await Promise.all(Array.from({ length: 4 }, () => pools.connect(NODE)));
    proxy.stall();
    const waiting = Array.from({ length: 20 }, () => isRefused());
    const statements = clients.map((client) => client.query('SELECT 1').catch(() => 'lost'));
    expect(new Set(await Promise.all([...waiting, ...statements]))).toEqual(new Set([true, 'lost']));
    expect(await isRefused()).toBe(true);
    clients.forEach((client) => client.release(true));
    proxy.restore();
    await until(() => pools.isUp(NODE));
    expect(await isRefused()).toBeUndefined();
  });

  it('are waited for by a statement that takes long', async () => {
    const client = await pools.connect(NODE);
    await client.query('SELECT pg_sleep(1.5)');
    expect(pools.isUp(NODE)).toBe(true);
    client.release();
  });
});
