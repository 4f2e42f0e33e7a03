import { exchange } from '../support/servers/raw-http.js';
import { createWorld, type World } from '../support/world.js';

describe('a malformed request', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  it.each([
    ['bytes that are not HTTP', 'GARBAGE\r\n\r\n'],
    ['headers without an end', `GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['an unknown method', 'FETCH /suppressions HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a malformed URL', 'GET http://[ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['no Host header', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a request for a proxy', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['two Host headers', 'POST /suppressions HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n'],
    ['a list of hosts', 'GET /healthz HTTP/1.1\r\nHost: x, y\r\n\r\n'],
    ['a user in the Host header', 'GET /healthz HTTP/1.1\r\nHost: user@x\r\n\r\n'],
    ...['identity, chunked', 'gzip, chunked', 'identity\r\nTransfer-Encoding: chunked'].map((encoding) => [
      `the transfer encoding ${JSON.stringify(encoding)}`,
      `POST /suppressions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${encoding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    ]),
    [
      'chunks in HTTP/1.0',
      'POST /suppressions HTTP/1.0\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n0\r\n\r\n',
    ],
    [
      'two lengths',
      'POST /suppressions HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
    ],
  ])('with %s gets 400 and the JSON body of errors', async (_what, bytes) => {
    const response = await exchange(world.url, bytes);
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(response.split('\r\n\r\n')[1]!)).toMatchObject({
      statusCode: 400,
      name: 'validation_error',
    });
  });

  it('uses the first of two Authorization headers', async () => {
    const key = (text: string) => `Authorization: Bearer ${text}\r\n`;
    const get = (headers: string) =>
      exchange(world.url, `GET /suppressions HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`);
    expect(await get(key(world.alice) + key('sup_wrong'))).toMatch(/^HTTP\/1\.1 200 /);
    expect(await get(key('sup_wrong') + key(world.alice))).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('ends the connection, and what follows has no effect', async () => {
    const body = '{"email":"smuggled@example.com"}';
    const response = await exchange(
      world.url,
      'POST /suppressions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n' +
        `POST /suppressions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.alice}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(response.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    await world.as(world.alice).get('/suppressions/smuggled@example.com').expect(404);
  });

  it.each(['[::1]:3000', 'localhost', 'list.example.com:443', ''])(
    'is none with the host %j',
    async (host) => {
      const response = await exchange(
        world.url,
        `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      expect(response).toMatch(/^HTTP\/1\.1 200 /);
    },
  );

  it('with the method HEAD gets no body', async () => {
    for (const head of [
      'HEAD / HTTP/1.1\r\nContent-Length: x',
      'HEAD /healthz HTTP/1.1\r\nConnection: close',
    ]) {
      const response = await exchange(world.url, `${head}\r\n\r\n`);
      expect(response).toMatch(/^HTTP\/1\.1 400 [^]*\r\n\r\n$/);
    }
  });

  it.each([
    [401, 'no key', 'POST /suppressions/check', 1000],
    [404, 'an unknown path', 'POST /nope', 1000],
    [405, 'a method that the path does not support', 'PUT /suppressions', 1000],
    [404, 'an unknown source', `POST /inbound/${'A'.repeat(32)}`, 1000],
    [413, 'a length over the limit', 'POST /suppressions/check', 99_999_999_999],
  ])('gets %i for %s before its body is read', async (status, _what, line, length) => {
    const key = status === 401 ? '' : `Authorization: Bearer ${world.alice}\r\n`;
    const head = `${line} HTTP/1.1\r\nHost: x\r\n${key}Content-Type: application/json\r\nContent-Length: ${length}\r\n`;
    const response = await exchange(world.url, `${head}Connection: close\r\n\r\n{`);
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it('with a body that is not HTTP gets one response', async () => {
    const head = (key: string) =>
      `POST /suppressions/check HTTP/1.1\r\nHost: x\r\n${key}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const known = await exchange(world.url, `${head(`Authorization: Bearer ${world.alice}\r\n`)}zzz\r\n`);
    expect(known).toMatch(/^HTTP\/1\.1 400 .*The body is not valid HTTP/s);
    const unknown = await exchange(world.url, head(''), 'zzz\r\n');
    expect(unknown).toMatch(/^HTTP\/1\.1 401 /);
    expect(unknown.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('does not affect the response to a request before it', async () => {
    const body = '{"email":"first@example.com"}';
    const response = await exchange(
      world.url,
      `POST /suppressions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.alice}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}GARBAGE\r\n\r\n`,
    );
    expect(response).toMatch(/^HTTP\/1\.1 201 /);
  });

  it('with an unsatisfiable range of a document gets 400', async () => {
    const { body } = await world.anyone
      .get('/docs/swagger-ui.css')
      .set('Range', 'bytes=99999999-')
      .expect(400);
    expect(body.name).toBe('validation_error');
  });

  it('with an unknown Expect header is served as if it had none', async () => {
    const response = await exchange(
      world.url,
      'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n',
    );
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
  });
});
