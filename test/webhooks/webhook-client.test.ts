import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, LookupFunction, Socket } from 'node:net';
import type { EndpointAgents } from '../../src/webhooks/endpoint/endpoint-network.js';
import { WebhookClient } from '../../src/webhooks/endpoint/webhook-client.js';
import { parseEndpoint } from '../../src/webhooks/endpoint/endpoint.js';

const NOT_PUBLIC = 'The address of the endpoint is not public.';
const NOT_PUBLIC_ENDPOINT = 'The address of the endpoint is not public, so no event would reach it.';

describe('the webhook client', () => {
  let server: Server;
  let port: number;
  let connections: number;
  let respond: RequestListener;
  beforeAll(async () => {
    server = createServer((request, response) => respond(request, response));
    server.on('connection', () => connections++);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  beforeEach(() => {
    connections = 0;
    respond = (request, response) => request.resume().on('end', () => response.end('thank you'));
  });
  afterAll(() => server.close());

  const toNames = (find: LookupFunction) => ({ find, close: () => undefined });
  const post = (client: WebhookClient, endpoint: string) => client.post(endpoint, {}, '{}');

  describe.each([
    ['IPv4 loopback', '127.0.0.1'],
    ['another loopback address', '127.8.9.10'],
    ['this network', '0.0.0.0'],
    ['a private network', '10.0.0.1'],
    ['a private network', '172.16.5.4'],
    ['a private network', '192.168.1.1'],
    ['the metadata service of clouds', '169.254.169.254'],
    ['the platform address of Azure', '168.63.129.16'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['protocol assignments', '192.0.0.1'],
    ['documentation', '192.0.2.1'],
    ['a 6to4 relay', '192.88.99.1'],
    ['benchmarks', '198.18.0.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['a decimal host', '2130706433'],
    ['an octal host', '0177.0.0.1'],
    ['a hexadecimal host', '0x7f.1'],
    ['a short host', '127.1'],
    ['full-width digits', '１２７.0.0.1'],
    ['IPv6 loopback', '[::1]'],
    ['the unspecified address', '[::]'],
    ['mapped IPv4', '[::ffff:127.0.0.1]'],
    ['mapped IPv4 in hexadecimal', '[::ffff:7f00:1]'],
    ['compatible IPv4', '[::127.0.0.1]'],
    ['compatible IPv4 in hexadecimal', '[::7f00:1]'],
    ['translated IPv4', '[::ffff:0:127.0.0.1]'],
    ['NAT64', '[64:ff9b::7f00:1]'],
    ['local NAT64', '[64:ff9b:1::7f00:1]'],
    ['6to4', '[2002:7f00:1::]'],
    ['Teredo', '[2001:0:7f00:1::]'],
    ['link-local', '[fe80::1]'],
    ['site-local', '[fec0::1]'],
    ['unique local', '[fd00::1]'],
    ['multicast', '[ff02::1]'],
    ['documentation', '[2001:db8::1]'],
    ['documentation', '[3fff::1]'],
    ['discard', '[100::1]'],
    ['segment routing', '[5f00::1]'],
    ['a name of loopback', 'localhost'],
  ])('does not connect to %s', (_what, host) => {
    it(host, async () => {
      const client = new WebhookClient([]);
      const response = await post(client, `http://${host}:${port}/`);
      expect(response).toMatchObject({ statusCode: 0, error: expect.stringContaining(NOT_PUBLIC) });
      const secure = await post(client, `https://${host}:${port}/`);
      expect(secure.error).toContain(NOT_PUBLIC);
      expect(connections).toBe(0);
      expect(() => client.requireReachable(`https://${host}/`)).toThrow(NOT_PUBLIC_ENDPOINT);
    });
  });

  it.each([
    'http://[fe80::1%25eth0]/',
    'http://[fe80::1%eth0]/',
    'file:///etc/passwd',
    'https://a:b@example.com/',
  ])('accepts no endpoint such as %s', (endpoint) => {
    expect(parseEndpoint(endpoint)).toMatchObject({ problem: expect.any(String) });
  });

  it.each([
    ['https://example.com:99999/x', 'must have a port of at most 65535'],
    ['https://example.com:65536', 'must have a port of at most 65535'],
    ['https://exam ple.com:443/x', 'must be a URL such as https://example.com/webhooks'],
    [42, 'must be a URL such as https://example.com/webhooks'],
    [`https://example.com/${'x'.repeat(2_048)}`, 'must have at most 2048 characters'],
  ])('says what is wrong with the endpoint %s', (endpoint, problem) => {
    expect(parseEndpoint(endpoint)).toMatchObject({ problem });
  });

  it('reaches networks that the operator allows, and no others', async () => {
    const client = new WebhookClient(['127.0.0.0/30', 'fd00::/8']);
    const allowed = await post(client, `http://127.0.0.1:${port}/`);
    expect(allowed).toEqual({
      statusCode: 200,
      body: 'thank you',
      error: null,
      isUnreachable: false,
      retryAfterMs: null,
    });
    expect((await post(client, `http://127.0.0.5:${port}/`)).error).toContain(NOT_PUBLIC);
    expect((await post(client, `http://[::ffff:127.0.0.1]:${port}/`)).error).toContain(NOT_PUBLIC);
    client.close();
  });

  it('refuses a URL whose address no connection reaches, and connects to none to find out', () => {
    const client = new WebhookClient(['127.0.0.0/30', 'fd00::/8']);
    for (const host of [
      `127.0.0.1:${port}`,
      'localhost',
      '[fd00::1]',
      '93.184.215.14',
      '[2606:2800::1]',
      'rebind.example',
    ]) {
      client.requireReachable(`http://${host}/`);
    }
    for (const host of ['127.0.0.5', '[::ffff:127.0.0.1]', '[::1]', '0x7f.5']) {
      expect(() => client.requireReachable(`http://${host}/`)).toThrow(NOT_PUBLIC_ENDPOINT);
    }
    const other = new WebhookClient(['10.0.0.0/8']);
    for (const host of ['localhost', 'LOCALHOST.', 'hooks.localhost']) {
      expect(() => other.requireReachable(`http://${host}/`)).toThrow(NOT_PUBLIC_ENDPOINT);
    }
    expect(connections).toBe(0);
  });

  it('checks the address of every connection, so a name that changes its address gains nothing', async () => {
    const answers = ['127.0.0.1', '127.0.0.9'];
    const lookup: LookupFunction = (_name, _options, done) => done(null, answers.shift()!, 4);
    const client = new WebhookClient(['127.0.0.1/32'], toNames(lookup));
    respond = (_request, response) => response.setHeader('Connection', 'close').end();
    expect(await post(client, `http://rebind.example:${port}/`)).toMatchObject({ statusCode: 200 });
    expect((await post(client, `http://rebind.example:${port}/`)).error).toContain(NOT_PUBLIC);
    expect(answers).toEqual([]);
  });

  it('does not follow redirects', async () => {
    const client = new WebhookClient(['127.0.0.0/8']);
    let requests = 0;
    respond = (_request, response) => {
      requests++;
      response.writeHead(302, { Location: `http://127.0.0.1:${port}/inside` }).end();
    };
    expect(await post(client, `http://127.0.0.1:${port}/`)).toMatchObject({ statusCode: 302, error: null });
    expect(requests).toBe(1);
    client.close();
  });

  it('sends the next event over the same connection', async () => {
    const client = new WebhookClient(['127.0.0.0/8']);
    for (let events = 0; events < 5; events++) {
      await post(client, `http://127.0.0.1:${port}/`);
    }
    expect(connections).toBe(1);
    client.close();
  });

  it('sends an event again over another connection if the endpoint has just closed the idle one', async () => {
    const client = new WebhookClient(['127.0.0.0/8']);
    await post(client, `http://127.0.0.1:${port}/`);
    let requests = 0;
    respond = (request, response) => (++requests === 1 ? request.socket.destroy() : response.end());
    expect(await post(client, `http://127.0.0.1:${port}/`)).toMatchObject({ statusCode: 200 });
    expect([requests, connections]).toEqual([2, 2]);
    client.close();
  });

  it('sends an event again if the endpoint closed the connection before the event was written', async () => {
    const client = new WebhookClient(['127.0.0.0/8']);
    const { agents } = client as unknown as { agents: EndpointAgents };
    const connect = jest.spyOn(agents.get(4, new URL('http://127.0.0.1')), 'createConnection');
    await post(client, `http://127.0.0.1:${port}/`);
    const idle = connect.mock.results[0]!.value as Socket;
    const fail: Socket['_write'] = (_chunk, _encoding, done) =>
      done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    Object.assign(idle, {
      _write: fail,
      _writev: (chunks: never, done: never) => fail(chunks, 'utf8', done),
    });
    expect(await post(client, `http://127.0.0.1:${port}/`)).toMatchObject({ statusCode: 200 });
    expect(connections).toBe(2);
    client.close();
  });

  it('does not treat an idle connection as a sign that the endpoint can be reached', async () => {
    const client = new WebhookClient(['127.0.0.0/8']);
    const other = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    await post(client, url);
    other.removeAllListeners('request').on('request', (request) => {
      other.close();
      request.socket.destroy();
    });
    expect(await post(client, url)).toMatchObject({ statusCode: 0, isUnreachable: true });
    client.close();
  });

  it('closes a connection that has been idle for a time', async () => {
    const closed = new Promise((resolve) =>
      server.once('connection', (socket) => socket.once('close', resolve)),
    );
    const client = new WebhookClient(['127.0.0.0/8'], undefined, 50);
    expect(await post(client, `http://127.0.0.1:${port}/`)).toMatchObject({ statusCode: 200 });
    await closed;
    client.close();
  });

  it('sends an event at most twice if the endpoint closes every connection', async () => {
    const client = new WebhookClient(['127.0.0.0/8']);
    const idle = Array.from({ length: 3 }, () => post(client, `http://127.0.0.1:${port}/`));
    await Promise.all(idle);
    let requests = 0;
    respond = (request) => {
      requests++;
      request.socket.destroy();
    };
    expect(await post(client, `http://127.0.0.1:${port}/`)).toMatchObject({ statusCode: 0 });
    expect(requests).toBe(2);
    client.close();
  });

  it('sends nothing once it is closed, and ends what is in flight', async () => {
    const client = new WebhookClient(['127.0.0.0/8']);
    await post(client, `http://127.0.0.1:${port}/`);
    let requests = 0;
    respond = () => {
      requests++;
      client.close();
    };
    expect(await post(client, `http://127.0.0.1:${port}/`)).toMatchObject({ statusCode: 0 });
    expect(await post(client, `http://127.0.0.1:${port}/`)).toMatchObject({ statusCode: 0 });
    expect(requests).toBe(1);
  });

  it('treats a switch of protocols as a failure', async () => {
    const client = new WebhookClient(['127.0.0.0/8']);
    respond = (_request, response) =>
      response.writeHead(101, { Connection: 'Upgrade', Upgrade: 'websocket' }).end();
    expect(await post(client, `http://127.0.0.1:${port}/`)).toMatchObject({ statusCode: 101, error: null });
    client.close();
  });

  it('reads 2 kB of a response that does not end', async () => {
    const client = new WebhookClient(['127.0.0.0/8']);
    respond = (_request, response) => {
      response.writeHead(500);
      const write = () => response.destroyed || response.write('x'.repeat(1_000), () => setImmediate(write));
      write();
    };
    const { statusCode, body } = await post(client, `http://127.0.0.1:${port}/`);
    expect([statusCode, body.length]).toEqual([500, 2_048]);
    client.close();
  });

  it.each(['a new', 'an idle'])(
    'takes the status of a response that is cut over %s connection',
    async (which) => {
      const client = new WebhookClient(['127.0.0.0/8']);
      if (which === 'an idle') {
        await post(client, `http://127.0.0.1:${port}/`);
      }
      let requests = 0;
      respond = (request, response) => {
        requests++;
        response.writeHead(200, { 'Content-Length': 9 }).write('tha');
        const cut = () => {
          unsubscribe('http.client.response.finish', cut);
          request.socket.resetAndDestroy();
        };
        subscribe('http.client.response.finish', cut);
      };
      const response = await post(client, `http://127.0.0.1:${port}/`);
      expect(response).toMatchObject({ statusCode: 200, error: null });
      expect(requests).toBe(1);
      client.close();
    },
  );

  it.each([
    ['7', 7_000],
    ['0', null],
    ['soon', null],
  ])('reads Retry-After: %s', async (header, retryAfterMs) => {
    const client = new WebhookClient(['127.0.0.0/8']);
    respond = (_request, response) => response.writeHead(429, { 'Retry-After': header }).end();
    expect(await post(client, `http://127.0.0.1:${port}/`)).toMatchObject({ statusCode: 429, retryAfterMs });
    client.close();
  });

  it('says what went wrong without a response', async () => {
    const client = new WebhookClient(['127.0.0.0/8']);
    respond = (request) => request.socket.destroy();
    const { statusCode, error } = await post(client, `http://127.0.0.1:${port}/`);
    expect([statusCode, error]).toEqual([
      0,
      'The request failed: ECONNRESET. The endpoint closed the connection before its response was complete.',
    ]);
    expect(client.mayBeCutOff).toBe(false);
    expect(await post(client, 'http://127.0.0.1:1/')).toMatchObject({ statusCode: 0, isUnreachable: true });
    expect(client.mayBeCutOff).toBe(true);
    expect(await post(client, 'http://10.0.0.1/')).toMatchObject({ statusCode: 0, isUnreachable: false });
    const unknown: LookupFunction = (_name, _options, done) =>
      done(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), '', 4);
    const lost = await post(new WebhookClient([], toNames(unknown)), 'https://no.example/');
    expect(lost).toMatchObject({
      error:
        'The request failed: ENOTFOUND. The host of the endpoint has no address: check its spelling and its DNS records.',
      isUnreachable: true,
    });
    const withoutTls = await post(client, `https://127.0.0.1:${port}/`);
    expect(withoutTls.error).toMatch(/^The request failed: EPROTO\. The endpoint does not speak TLS/);
  });
});
