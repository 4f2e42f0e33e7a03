import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EndpointResolver } from '../../src/webhooks/endpoint/endpoint-network.js';
import { WebhookClient } from '../../src/webhooks/endpoint/webhook-client.js';
import { until } from '../support/until.js';
import { startNameServer, type NameServer } from '../support/servers/name-server.js';

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
