import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ServiceUnreachableError } from '../../src/replica/errors.js';
import { ServiceClient } from '../../src/replica/service-client.js';
import { leftIn } from '../support/left-in-signal.js';

const LINE = '{"id":"1","email":"ada@example.com","causes":["manual"],"expires_at":null}\n';

describe('the client of a replica', () => {
  let server: Server;
  let body: string;
  let refusals: { status: number; retryAfter: string }[];
  let paths: string[];
  let stopping: AbortController;
  let client: (prefix: string) => ServiceClient;

  beforeEach(async () => {
    body = '{}';
    refusals = [];
    paths = [];
    server = createServer((request, response) => {
      paths.push(request.url!);
      const refusal = refusals.shift();
      if (refusal) {
        response.writeHead(refusal.status, { 'Retry-After': refusal.retryAfter }).end('{}');
        return;
      }
      response.end(body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    stopping = new AbortController();
    client = (prefix) => new ServiceClient(`http://127.0.0.1:${port}${prefix}`, 'key', stopping.signal);
  });

  afterEach(() => server.close());

  it.each([
    ['', '/changes'],
    ['/', '/changes'],
    ['/suppressions-api', '/suppressions-api/changes'],
    ['/suppressions-api/', '/suppressions-api/changes'],
  ])('keeps the path of the URL: %j', async (prefix, path) => {
    await client(prefix).readChanges('cursor', 0);
    expect(paths).toEqual([`${path}?after=cursor&limit=1000&wait=0`]);
  });

  it('leaves nothing in the signal that stops the replica', async () => {
    await client('').readChanges('cursor', 0);
    expect(leftIn(stopping.signal)).toEqual([]);
  });

  it('reads the rules again only if their version is another one', async () => {
    const rules = [{ id: '1', pattern: 'example.com' }];
    body = JSON.stringify({ has_more: false, data: rules, complaint_reach: 'all', rules_version: 'v1' });
    const previous = await client('').readSettings(undefined);
    expect(await client('').readSettings(previous)).toEqual(previous);
    body = body.replace('v1', 'v2');
    expect(await client('').readSettings(previous)).toMatchObject({ rules, rulesVersion: 'v2' });
    expect(paths.filter((path) => path.startsWith('/rules'))).toHaveLength(2);
  });

  it('reads the key of pseudonyms again if the version of the kept blocks is another one', async () => {
    body = JSON.stringify({
      has_more: false,
      data: [],
      kept_blocks_version: 'v1',
      key: 'k1',
      filters: { p: 1 },
    });
    const previous = await client('').readSettings(undefined);
    expect(previous).toMatchObject({ keptBlocksVersion: 'v1', pseudonymKey: 'k1', blockFilters: { p: 1 } });
    expect(await client('').readSettings(previous)).toEqual(previous);
    expect(paths.filter((path) => path === '/pseudonym-key')).toHaveLength(1);
    body = body.replace('v1', 'v2').replace('k1', 'k2');
    expect(await client('').readSettings(previous)).toMatchObject({ pseudonymKey: 'k2' });
  });

  it('reads the filters of kept blocks as long as it has none, such as after an upgrade', async () => {
    const known = { has_more: false, data: [], kept_blocks_version: 'v1', key: 'k1' };
    body = JSON.stringify(known);
    const previous = await client('').readSettings(undefined);
    body = JSON.stringify({ ...known, filters: { p: 1 } });
    expect(await client('').readSettings(previous)).toEqual({ ...previous, blockFilters: { p: 1 } });
  });

  it.each([429, 503])('repeats a request that is refused with %s', async (status) => {
    body = JSON.stringify({ has_more: false, cursor: 'next', data: [] });
    refusals = [
      { status, retryAfter: '0' },
      { status, retryAfter: '0' },
    ];
    expect(await client('').readChanges('cursor', 0)).toMatchObject({ cursor: 'next' });
    expect(paths).toHaveLength(3);
  });

  it.each([
    ['that is refused again and again', 503, '0', 6],
    ['whose refusal lasts long', 503, '600', 1],
    ['whose refusal ends at a date', 503, 'Wed, 21 Oct 2026 07:28:00 GMT', 1],
    ['that is refused for good', 403, '0', 1],
  ])('gives up a request %s', async (_what, status, retryAfter, requests) => {
    refusals = Array.from({ length: 10 }, () => ({ status, retryAfter }));
    await expect(client('').readChanges('cursor', 0)).rejects.toMatchObject({ statusCode: status });
    expect(paths).toHaveLength(requests);
  });

  it('says that the service ended the connection in the middle of the list', async () => {
    server.removeAllListeners('request').on('request', (_request, response) => {
      response.write(LINE, () => response.destroy());
    });
    const { rows } = await client('').exportRecords();
    const read = async () => {
      for await (const row of rows) {
        expect(row).toMatchObject({ email: 'ada@example.com' });
      }
    };
    await expect(read()).rejects.toMatchObject({
      name: 'ServiceUnreachableError',
      message: expect.stringMatching(/^The service at \S+ ended the connection while the list was read\.$/),
    });
  });

  it.each([
    ['complete', LINE + LINE, 2, undefined],
    ['empty', '', 0, undefined],
    ['cut off in a line', LINE + LINE.slice(0, 20), 1, 'ended the connection'],
    ['cut off before the end of a line', LINE + LINE.trimEnd(), 1, 'ended the connection'],
  ])('reads an export that is %s', async (_what, text, count, message) => {
    body = text;
    const { rows } = await client('').exportRecords();
    const read: unknown[] = [];
    let problem: unknown;
    try {
      for await (const row of rows) {
        read.push(row);
      }
    } catch (error) {
      problem = error;
    }
    expect(read).toHaveLength(count);
    expect(problem instanceof ServiceUnreachableError ? problem.message : problem).toEqual(
      message && expect.stringContaining(message),
    );
  });
});
