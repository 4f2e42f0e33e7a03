import pg from 'pg';
import { Nodes } from '../../../src/database/citus/nodes.js';
import type { Node } from '../../../src/database/citus/topology.js';
import { startProxy, type Proxy } from '../../support/servers/proxy.js';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.js';
import { until } from '../../support/until.js';

describe('the connections to a node', () => {
  let database: TestDatabase;
  let proxy: Proxy;
  let nodes: Nodes;
  let node: Node;
  beforeAll(async () => (database = await createTestDatabase()));
  afterAll(() => database.drop());
  beforeEach(async () => {
    proxy = await startProxy(database.url);
    node = { groupId: 1, host: 'worker', port: 5432, url: proxy.url };
    const config = { Client: pg.Client, max: 4, connectionTimeoutMillis: 60_000 };
    nodes = new Nodes(
      config,
      () => undefined,
      () => undefined,
    );
  });
  afterEach(async () => {
    await proxy.close();
    await nodes.end();
  });

  const isRefused = () =>
    nodes.connect(node).then(
      (client) => void client.release(),
      () => true,
    );

  it('are shared in turn by the accounts of that node alone', () => {
    const other: Node = { ...node, groupId: 2, url: database.url };
    expect(nodes.turnsAt(node)).toBe(nodes.turnsAt(node));
    expect(nodes.turnsAt(other)).not.toBe(nodes.turnsAt(node));
  });

  it('may break while they are idle, and others still work', async () => {
    const [idle, busy] = [await nodes.connect(node), await nodes.connect(node)];
    const [{ pid }] = (await idle.query('SELECT pg_backend_pid() AS pid')).rows;
    idle.release();
    const broken = new Promise((resolve) => nodes.pools[0]!.once('remove', resolve));
    await busy.query('SELECT pg_terminate_backend($1::integer)', [pid]);
    await broken;
    await expect(busy.query('SELECT pg_terminate_backend(pg_backend_pid())')).rejects.toThrow();
    busy.release(true);
    for (let probes = 0; probes < 20; probes++) {
      expect(await isRefused()).toBeUndefined();
      expect(nodes.isUp(node)).toBe(true);
    }
  });

  it('fail together when the node refuses new ones, until it is back', async () => {
    const client = await nodes.connect(node);
    proxy.cut();
    await until(() => !nodes.isUp(node));
    client.release(true);
    expect(await isRefused()).toBe(true);
    proxy.restore();
    await until(() => nodes.isUp(node));
    expect(await isRefused()).toBeUndefined();
  });

  it('fail together when the node does not reply, also while statements wait for it', async () => {
    const clients = await Promise.all(Array.from({ length: 4 }, () => nodes.connect(node)));
    proxy.stall();
    const waiting = Array.from({ length: 20 }, () => isRefused());
    const statements = clients.map((client) => client.query('SELECT 1').catch(() => 'lost'));
    expect(new Set(await Promise.all([...waiting, ...statements]))).toEqual(new Set([true, 'lost']));
    expect(await isRefused()).toBe(true);
    clients.forEach((client) => client.release(true));
    proxy.restore();
    await until(() => nodes.isUp(node));
    expect(await isRefused()).toBeUndefined();
  });

  it('are waited for by a statement that takes long', async () => {
    const client = await nodes.connect(node);
    await client.query('SELECT pg_sleep(1.5)');
    expect(nodes.isUp(node)).toBe(true);
    client.release();
  });
});
