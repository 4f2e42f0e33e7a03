import { connect } from 'node:net';
import fc from 'fast-check';
import { createWorld, type World } from '../support/world.js';

const CODES: Record<number, string[]> = {
  400: ['validation_error'],
  401: ['missing_api_key', 'restricted_api_key'],
  403: ['invalid_api_key', 'beta_access_required'],
  404: ['suppression_not_found', 'history_not_found', 'route_not_found'],
  405: ['method_not_allowed'],
  413: ['payload_too_large'],
  415: ['unsupported_media_type'],
};

describe('errors', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const post = (contentType: string, body: string | Buffer) =>
    world.as(world.alice).post('/suppressions/batch/add').set('Content-Type', contentType).send(body);

  it.each([
    '{',
    '{"emails": ["a@example.com"',
    'null',
    '5',
    '"text"',
    '{"emails": [undefined]}',
    '\u0000',
    '{"a":1}}',
  ])('answers 400 to the body %j, which is no JSON object', async (body) => {
    const answer = await post('application/json', body).expect(400);
    expect(answer.body).toMatchObject({
      name: 'validation_error',
      message: 'The body is not a JSON object or array.',
    });
  });

  it('answers 400 to JSON nested deeper than a stack is high', async () => {
    const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    await post('application/json', `{"emails": ${nested}}`).expect(400);
    await post('application/json', `{"emails": ["a@example.com"], "other": ${nested}}`).expect(400);
    const { body } = await post(
      'application/json',
      `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    ).expect(400);
    expect(body.message).toBe('The body is nested more than 32 levels deep.');
    await post(
      'application/json',
      `{"emails": ["a@example.com"], "other": "${'['.repeat(100)}\\"{{"}`,
    ).expect(201);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
  ])('answers 415 to %s', async (contentType) => {
    const { body } = await post(contentType, 'emails=a').expect(415);
    expect(body).toMatchObject({ statusCode: 415, name: 'validation_error', code: 'unsupported_media_type' });
  });

  it('answers 415 to a charset or an encoding that it does not know', async () => {
    await post('application/json; charset=latin1', '{}').expect(415);
    await post('application/json', '{}').set('Content-Encoding', 'snappy').expect(415);
    const { body } = await post('application/json', '{}').set('Content-Encoding', 'gzip').expect(400);
    expect(body.message).toMatch(/^The body cannot be read: check its .* Content-Encoding/);
  });

  it('answers 415 to other charsets, which could hide how deep a body is nested', async () => {
    for (const charset of ['utf-16le', 'utf-7', 'utf-32']) {
      await post(`application/json; charset=${charset}`, '{"emails":["a@example.com"]}').expect(415);
    }
  });

  it('answers 415 to a charset that hides behind another one', async () => {
    const body = Buffer.from(`{"\u2200":1,"emails":${'['.repeat(100)}${']'.repeat(100)}}`, 'utf16le');
    await post('application/json; x="; charset=utf-8"; charset=utf-16le', body).expect(415);
  });

  it('answers once where a body is no HTTP', async () => {
    const head = (key: string) =>
      `POST /suppressions/check HTTP/1.1\r\nHost: x\r\n${key}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const known = await exchange(
      world.url,
      Buffer.from(`${head(`Authorization: Bearer ${world.alice}\r\n`)}zzz\r\n`),
    );
    expect(known).toMatch(/^HTTP\/1\.1 400 .*The body is not valid HTTP/s);
    const unknown = await exchange(world.url, Buffer.from(head('')), Buffer.from('zzz\r\n'));
    expect(unknown).toMatch(/^HTTP\/1\.1 401 /);
    expect(unknown.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('leaves the answer to a request alone when garbage follows it', async () => {
    const body = '{"email":"first@example.com"}';
    const answer = await exchange(
      world.url,
      Buffer.from(
        `POST /suppressions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.alice}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}GARBAGE\r\n\r\n`,
      ),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
  });

  it('answers 400 to headers that a document cannot be served with', async () => {
    const { body } = await world.anyone
      .get('/docs/swagger-ui.css')
      .set('Range', 'bytes=99999999-')
      .expect(400);
    expect(body.name).toBe('validation_error');
  });

  it('takes application/json with parameters and in any letter case', () =>
    post('Application/JSON; charset=UTF-8', '{"emails":["json@example.com"]}').expect(201));

  it('answers 413 to a body over the limit', async () => {
    const { body } = await post('application/json', `{"note": "${'x'.repeat(1024 * 1024)}"}`).expect(413);
    expect(body).toMatchObject({ statusCode: 413, name: 'validation_error', code: 'payload_too_large' });
  });

  it.each([
    ['get', '/suppressions/batch/add', 'POST'],
    ['put', '/suppressions', 'GET, HEAD, POST'],
    ['patch', '/suppressions/ada@example.com', 'DELETE, GET, HEAD'],
    ['post', '/healthz', 'GET, HEAD'],
    ['options', '/suppressions/check', 'DELETE, GET, HEAD, POST'],
  ] as const)('answers 405 to %s %s, with Allow: %s', async (method, path, allowed) => {
    const { body, headers } = await world.as(world.alice)[method](path).expect(405);
    expect(headers.allow).toBe(allowed);
    expect(body).toMatchObject({ statusCode: 405, name: 'method_not_allowed' });
  });

  it.each(['/', '/nothing', '/suppressions/a@example.com/nothing', '/docs-not', '//suppressions'])(
    'answers 404 to the path %s',
    async (path) => {
      const { body } = await world.as(world.alice).get(path).expect(404);
      expect(body).toMatchObject({ statusCode: 404, name: 'validation_error', code: 'route_not_found' });
    },
  );

  it.each(['/suppressions/%', '/suppressions/%zz', '/suppressions/%C0%80'])(
    'answers 400 to the path %s',
    async (path) => {
      const { body } = await world.as(world.alice).get(path).expect(400);
      expect(body.name).toBe('validation_error');
    },
  );

  it('carries security headers, and nothing of the inside', async () => {
    const { headers } = await world.as(world.alice).get('/suppressions/nobody@example.com').expect(404);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(headers).not.toHaveProperty('x-powered-by');
  });

  it.each([
    ['no HTTP at all', 'GARBAGE\r\n\r\n'],
    ['headers without an end', `GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['a method that does not exist', 'FETCH /suppressions HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a path that is none', 'GET http://[ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['a request without Host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a caller who wants a proxy', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    [
      'two lengths',
      'POST /suppressions HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
    ],
  ])('answers 400 in the error body to %s', async (_what, bytes) => {
    const answer = await exchange(world.url, Buffer.from(bytes));
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({
      statusCode: 400,
      name: 'validation_error',
    });
  });

  it.each([
    [401, 'no key', 'POST /suppressions/check', 1000],
    [404, 'a path that no route has', 'POST /nope', 1000],
    [405, 'a method that the path does not have', 'PUT /suppressions', 1000],
    [404, 'a source that does not exist', `POST /inbound/${'A'.repeat(32)}`, 1000],
    [413, 'a length that is over the limit', 'POST /suppressions/check', 99_999_999_999],
  ])('answers %i to %s before it reads the body', async (status, _what, line, length) => {
    const key = status === 401 ? '' : `Authorization: Bearer ${world.alice}\r\n`;
    const head = `${line} HTTP/1.1\r\nHost: x\r\n${key}Content-Type: application/json\r\nContent-Length: ${length}\r\n`;
    const answer = await exchange(world.url, Buffer.from(`${head}Connection: close\r\n\r\n{`));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it('takes an Expect header that it does not know as if it were not there', async () => {
    const answer = await exchange(
      world.url,
      Buffer.from('GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n'),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('whatever bytes arrive in path, query, header and body, the answer is one of the documented ones', async () => {
    const method = fc.constantFrom('get', 'post', 'delete', 'put', 'patch', 'head', 'options');
    const path = fc.oneof(
      fc.constantFrom(
        '/suppressions',
        '/suppressions/batch/add',
        '/suppressions/batch/remove',
        '/suppressions/check',
      ),
      fc.string({ unit: 'binary' }).map((text) => `/suppressions/${encodeURIComponent(text.toWellFormed())}`),
      fc.string().map((text) => `/suppressions/${text.replaceAll(/[^\x21-\x7e]|[?#]/g, '')}`),
      fc.emailAddress().map((email) => `/suppressions/${encodeURIComponent(email)}/history`),
    );
    const query = fc.webQueryParameters().map((text) => `?${text}`);
    const json = fc.oneof(
      fc.json().map((text) => Buffer.from(text)),
      fc
        .record({ emails: fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.anything())) })
        .map((body) => toJson(body)),
      fc
        .record({ email: fc.string({ unit: 'grapheme' }), note: fc.string({ unit: 'binary' }) })
        .map((body) => toJson(body)),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    );
    const contentType = fc.constantFrom(
      'application/json',
      'application/json; charset=utf-16',
      'text/plain',
      '',
    );
    await fc.assert(
      fc.asyncProperty(method, path, query, json, contentType, async (verb, where, search, body, type) => {
        const response = await fetch(`${world.url}${where}${search}`, {
          method: verb.toUpperCase(),
          headers: { authorization: `Bearer ${world.alice}`, ...(type && { 'content-type': type }) },
          ...(!['get', 'head'].includes(verb) && { body }),
        });
        const text = await response.text();
        if (response.status >= 300) {
          expect(CODES[response.status]).toBeDefined();
          if (verb !== 'head') {
            expect(CODES[response.status]).toContain(JSON.parse(text).code);
          }
        }
      }),
      { numRuns: 400 },
    );
  });
});

function toJson(value: unknown): Buffer {
  return Buffer.from(
    JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? '',
  );
}

/** Sends bytes over a connection of its own, and more after the first answer, and returns all that comes back. */
function exchange(url: string, bytes: Buffer, more?: Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on('data', (chunk) => chunks.push(chunk));
    if (more) {
      socket.once('data', () => socket.write(more));
    }
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    socket.on('error', reject);
  });
}
