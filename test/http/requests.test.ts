import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path/posix';
import fc from 'fast-check';
import { lexer } from 'marked';
import { Markdown } from '../../src/docs/markdown.js';
import { renderHtml } from '../../src/http/responses/html-response.js';
import { MAX_WAITING } from '../../src/http/requests/open-requests.js';
import { httpUrl } from '../../src/http/server/listen-address.js';
import { problemWithJson } from '../../src/validation/json-limits.js';
import { anyText } from '../support/any-text.js';
import { cases } from '../support/cases.js';
import { exchange } from '../support/servers/raw-http.js';
import { createWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => (world = await createWorld()));
afterAll(() => world.close());

describe('a malformed request', () => {
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

  it.each([
    ['resets the connection', (socket: Socket) => socket.resetAndDestroy()],
    ['keeps its side open', () => undefined],
  ])('that is for a proxy ends the connection, even if the caller %s', async (_what, then) => {
    const closed = new Promise((resolve) =>
      world.app
        .getHttpServer()
        .once('connect', (_request: unknown, socket: Socket) => socket.once('close', resolve)),
    );
    const { hostname, port } = new URL(world.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.write('CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    then(socket);
    await closed;
    socket.destroy();
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

  it('is refused like any other request while too many are waiting', async () => {
    const waiting = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(MAX_WAITING);
    const malformed = 'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n';
    const response = await exchange(world.url, waiting + malformed + malformed);
    const statuses = response.match(/HTTP\/1\.1 \d+/g)!;
    expect(statuses).toHaveLength(MAX_WAITING + 1);
    expect(statuses.at(-1)).toBe('HTTP/1.1 503');
  });

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

describe('a JSON body', () => {
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
  ])('of %j is refused with 400', async (body) => {
    const response = await post('application/json', body).expect(400);
    expect(response.body).toMatchObject({
      name: 'validation_error',
      message: expect.stringMatching(
        /^The body is not (a JSON object or array|valid JSON at position \d+)\.$/,
      ),
    });
  });

  it.each([
    ['{"emails": ["ada@example.com"] "note": "Call"}', 'The body is not valid JSON at position 31.'],
    ['[x at position 99]', 'The body is not a JSON object or array.'],
  ])('that stops being JSON, %s, is refused with the position if it is known', async (text, message) => {
    const { body } = await post('application/json', text).expect(400);
    expect(body.message).toBe(message);
  });

  it('that is not UTF-8 is refused with 400', async () => {
    const latin1 = Buffer.from('{"emails": ["ada@example.com"], "note": "caf\u00e9"}', 'latin1');
    const { body } = await post('application/json', latin1)
      .serialize((sent: unknown) => sent as string)
      .expect(400);
    expect(body.message).toBe('The body is not UTF-8: encode it in UTF-8.');
  });

  it.each([
    ['post', '/suppressions'],
    ['post', '/suppressions/batch/add'],
    ['post', '/suppressions/batch/remove'],
    ['post', '/suppressions/check'],
    ['delete', '/suppressions/ada@example.com'],
  ] as const)('that is an array is refused with 400 by %s %s', async (method, path) => {
    const { body } = await world.as(world.alice)[method](path).send([{}]).expect(400);
    expect(body.message).toBe('The body must be a JSON object.');
  });

  it('nested deeper than 32 levels is refused with 400', async () => {
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
    ['an array of 300,000 objects', `[${Array(300_000).fill('{}').join()}]`],
    ['80,000 unknown fields', JSON.stringify(Object.fromEntries(numbers(80_000).map((n) => [`f${n}`, 1])))],
    ['500,000 numbers in place of addresses', `{"emails":[${Array(500_000).fill(1).join()}]}`],
  ])('with %s is refused before it is parsed', async (_what, json) => {
    const { body } = await post('application/json', json).expect(400);
    expect(body.message).toBe('The body has more than 10000 values.');
  });

  it('may have 9,000 fields that no operation reads', async () => {
    const unknown = Object.fromEntries(numbers(9_000).map((n) => [`f${n}`, 1]));
    await post('application/json', JSON.stringify({ ...unknown, emails: ['fields@example.com'] })).expect(
      201,
    );
  });

  it.each([
    ['{"email":"twice@example.com","email":"b@example.com"}', 'email'],
    ['{"email":"twice@example.com","x":{"y":[{}]},"\\u0065mail":"b@example.com"}', '\\u0065mail'],
    ['{"email":"twice@example.com","x":[{"y":1},{"y":1,"z":"y","y":2}]}', 'y'],
  ])(
    'with a name twice in one object is refused, since either value may be meant: %s',
    async (json, name) => {
      const add = world.as(world.alice).post('/suppressions').set('Content-Type', 'application/json');
      const { body } = await add.send(json).expect(400);
      expect(body.message).toBe(`The body has the field ${name} twice: send it once.`);
      expect((await world.as(world.alice).get('/suppressions/twice@example.com')).status).toBe(404);
    },
  );

  it('may have a name in several objects, and a name among its values', async () => {
    const json =
      '{"x":[{"a":1,"b":"a"},{"a":":","b":{"a":"{"}}],"y":{"x":"x\\":"},"email":"names@example.com"}';
    const add = world.as(world.alice).post('/suppressions').set('Content-Type', 'application/json');
    await add.send(json).expect(201);
  });

  const long = `"${'x'.repeat(500_000)}"`;
  it.each([
    ['colons after a long text', `[${long},${'[:],'.repeat(100_000)}1]`],
    ['commas and colons after a long text', `{${long}${',:'.repeat(200_000)}}`],
    ['colons and braces after a long text', `{${long}${':{'.repeat(20)}${'},:{'.repeat(100_000)}`],
    [
      'names without commas',
      `{${numbers(90_000)
        .map((n) => `"${n}":`)
        .join('')}1}`,
    ],
    [
      'names after each comma',
      `{${numbers(60_000)
        .map((n) => `"${n}":1`)
        .join()}}`,
    ],
    ['a long name', `{${long}:1,${long.slice(0, -1)}y":2}`],
  ])('with %s is checked without reading more than there is', (_what, json) => {
    const body = Buffer.from(json);
    const read = jest.spyOn(body, 'toString');
    problemWithJson(body, { depth: 32, values: 10_000, mayRepeatNames: false });
    const lengths = read.mock.calls.map(([, start, end]) => end! - start!);
    expect(lengths.length).toBeLessThan(10_000);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(body.length);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
  ])('declared as %s is refused with 415', async (contentType) => {
    const { body } = await post(contentType, 'emails=a').expect(415);
    expect(body).toMatchObject({
      statusCode: 415,
      name: 'validation_error',
      code: 'unsupported_media_type',
    });
  });

  it('of a GET is refused with 415 if it is not declared as JSON, and ignored otherwise', async () => {
    const get = () => world.as(world.alice).get('/suppressions');
    await get().set('Content-Type', 'text/plain').send('{}').expect(415);
    await get().send({}).expect(200);
  });

  it('in an unknown charset or content encoding is refused with 415', async () => {
    await post('application/json; charset=latin1', '{}').expect(415);
    await post('application/json', '{}').set('Content-Encoding', 'snappy').expect(415);
    const { body } = await post('application/json', '{}').set('Content-Encoding', 'gzip').expect(400);
    expect(body.message).toMatch(/^The body cannot be read: check its .* Content-Encoding/);
  });

  it('in another charset than UTF-8, which could hide its depth, is refused with 415', async () => {
    for (const charset of ['utf-16le', 'utf-7', 'utf-32']) {
      await post(`application/json; charset=${charset}`, '{"emails":["a@example.com"]}').expect(415);
    }
  });

  it('in a charset hidden behind another one is refused with 415', async () => {
    const body = Buffer.from(`{"\u2200":1,"emails":${'['.repeat(100)}${']'.repeat(100)}}`, 'utf16le');
    await post('application/json; x="; charset=utf-8"; charset=utf-16le', body).expect(415);
  });

  it('may be declared with parameters and in any letter case', () =>
    post('Application/JSON; charset=UTF-8', '{"emails":["json@example.com"]}').expect(201));

  it('may arrive in thousands of pieces, unless they are tiny, which takes memory and time', async () => {
    const send = (pieces: number, piece: string) =>
      exchange(
        world.url,
        `POST /suppressions/check HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.alice}\r\nConnection: close\r\n` +
          `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n` +
          `${piece.length.toString(16)}\r\n${piece}\r\n`.repeat(pieces) +
          '1e\r\n{"emails":["ada@example.com"]}\r\n0\r\n\r\n',
      );
    expect(await send(4_000, ' ')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await send(10_000, ' '.repeat(100))).toMatch(/^HTTP\/1\.1 200 /);
    expect(await send(100_000, ' ').catch(({ code }) => code)).toMatch(
      /^HTTP\/1\.1 400 .*tiny pieces|^ECONNRESET$/s,
    );
  });

  it('over 1 MiB is refused with 413', async () => {
    const { body } = await post('application/json', `{"note": "${'x'.repeat(1024 * 1024)}"}`).expect(413);
    expect(body).toMatchObject({ statusCode: 413, name: 'validation_error', code: 'payload_too_large' });
  });
});

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

describe('what a request does not know', () => {
  describe('an unknown field of a body', () => {
    it.each([
      ['/suppressions', { email: 'ada@example.com' }],
      ['/suppressions/batch/add', { emails: ['ada@example.com'] }],
      ['/suppressions/batch/remove', { emails: ['ada@example.com'] }],
      ['/topics', { name: 'News', default_subscription: 'opt_in' }],
    ])('is ignored by POST %s, as the Resend API does', async (path, body) => {
      const { status } = await world
        .as(world.alice)
        .post(path)
        .send({ ...body, emial: 'x' });
      expect(status).toBeLessThan(300);
    });

    it.each([
      ['post', '/suppressions', { email: 'ada@example.com' }, 'expire_at', 'expires_at'],
      ['post', '/suppressions', { email: 'ada@example.com' }, 'expiresAt', 'expires_at'],
      ['post', '/suppressions', { email: 'ada@example.com' }, 'expires', 'expires_at'],
      ['post', '/suppressions', { email: 'ada@example.com' }, 'nota', 'note'],
      ['post', '/suppressions/batch/add', { emails: ['ada@example.com'] }, 'expire_at', 'expires_at'],
      ['post', '/suppressions/batch/remove', { emails: ['ada@example.com'] }, 'casue', 'cause'],
      ['post', '/suppressions/batch/remove', { emails: ['ada@example.com'] }, 'consents', 'consent'],
      ['delete', '/suppressions/ada@example.com', {}, 'notes', 'note'],
      ['post', '/topics', { name: 'News', default_subscription: 'opt_in' }, 'Key', 'key'],
    ] as const)(
      'is refused by %s %s with %j if it looks like a field that only we have: %s',
      async (method, path, sent, field, meant) => {
        const before = await world.database.query('SELECT email, cause FROM suppressions');
        const { body } = await world
          .as(world.alice)
          [method](path)
          .send({ ...sent, [field]: 'x' })
          .expect(400);
        expect(body.errors).toEqual([
          { path: field, message: `is not a field (did you mean \`${meant}\`?)` },
        ]);
        expect(await world.database.query('SELECT email, cause FROM suppressions')).toEqual(before);
      },
    );

    it.each([
      ['/suppressions', { email: 'new@example.com', cause: 'bounce' }, 'POST /events'],
      ['/suppressions', { email: 'new@example.com', origin: 'complaint' }, 'POST /imports'],
      ['/suppressions', { email: 'new@example.com', topic: 'news' }, 'PATCH /contacts/:contact/topics'],
      ['/suppressions/batch/add', { emails: ['new@example.com'], causes: ['bounce'] }, 'POST /events'],
      ['/suppressions/batch/remove', { emails: ['ada@example.com'], origin: 'bounce' }, '`cause`'],
    ])('is refused by POST %s with %j, since it would change what is meant', async (path, sent, instead) => {
      const before = await world.database.query('SELECT email, cause FROM suppressions');
      const { body } = await world.as(world.alice).post(path).send(sent).expect(400);
      expect(body.errors).toEqual([
        { path: Object.keys(sent)[1], message: expect.stringContaining(instead) },
      ]);
      expect(await world.database.query('SELECT email, cause FROM suppressions')).toEqual(before);
    });

    it.each([
      ['/suppressions/check', { emails: ['ada@example.com'], email: 'x' }, 'email', 'emails'],
      ['/rules', { pattern: 'example.com', efect: 'allow' }, 'efect', 'effect'],
    ])('is refused by POST %s with the field that was meant', async (path, sent, field, meant) => {
      const { body } = await world.as(world.alice).post(path).send(sent).expect(400);
      expect(body.errors[0]).toEqual({ path: field, message: `is not a field (did you mean \`${meant}\`?)` });
    });

    it('does not hide what else is wrong', async () => {
      const { body } = await world
        .as(world.alice)
        .post('/rules')
        .send({ pattern: '@', efect: 'allow' })
        .expect(400);
      expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(['efect', 'pattern', 'effect']);
    });
  });

  describe('an unknown query parameter', () => {
    it('is refused by the list, which would otherwise return everything', async () => {
      const { body } = await world.as(world.alice).get('/suppressions?orign=bounce').expect(400);
      expect(body).toMatchObject({
        code: 'validation_error',
        message: 'orign is not a query parameter (did you mean `origin`?).',
        errors: [{ path: 'orign', message: 'is not a query parameter (did you mean `origin`?)' }],
      });
    });

    it.each([
      ['/changes?cursor=x', 'after'],
      ['/suppressions?per_page=10', 'limit'],
    ])('is refused by %s with our name for it', async (path, meant) => {
      const { body } = await world.as(world.alice).get(path).expect(400);
      expect(body.errors[0].message).toBe(`is not a query parameter (did you mean \`${meant}\`?)`);
    });

    it.each(['email=ada@example.com', 'q=ada'])(
      'is refused by the list with the way to look up an address: %s',
      async (query) => {
        const { body } = await world.as(world.alice).get(`/suppressions?${query}`).expect(400);
        expect(body.errors).toEqual([
          {
            path: query.split('=')[0],
            message: 'is not a query parameter: to look up one address, use GET /suppressions/:suppression',
          },
        ]);
      },
    );

    it('does not hide what else is wrong with the query', async () => {
      const { body } = await world
        .as(world.alice)
        .get('/suppressions?orign=bounce&limit=0&domain=@')
        .expect(400);
      expect(body.errors).toEqual([
        { path: 'orign', message: 'is not a query parameter (did you mean `origin`?)' },
        { path: 'limit', message: expect.any(String) },
        { path: 'domain', message: expect.any(String) },
      ]);
    });

    it.each([
      ['get', '/suppressions/ada@example.com?x=1'],
      ['get', '/suppressions/ada@example.com/history?offset=1'],
      ['delete', '/suppressions/ada@example.com?force=true'],
      ['post', '/suppressions?email=ada@example.com'],
      ['post', '/suppressions/check?x=1'],
      ['post', '/suppressions/batch/add?x=1'],
      ['post', '/suppressions/batch/remove?x=1'],
      ['post', '/events?x=1'],
    ] as const)('is refused by %s %s', async (method, path) => {
      const { body } = await world.as(world.alice)[method](path).send({}).expect(400);
      expect(body.errors).toEqual([
        { path: expect.any(String), message: expect.stringMatching(/^is not a query parameter; /) },
      ]);
    });

    it('is reported for ten parameters at most, by the first 50 characters of their names', async () => {
      const query = Array.from({ length: 30 }, (_, index) => `${index}${'x'.repeat(100)}=1`).join('&');
      const { body } = await world.as(world.alice).get(`/suppressions?${query}`).expect(400);
      expect(body.errors).toHaveLength(10);
      expect(body.errors[0].path).toHaveLength(50);
    });

    it('does not reveal anything to a caller without a key', () =>
      world.anyone.get('/suppressions?orign=bounce').expect(401));

    it('is ignored by health checks', () => world.anyone.get('/healthz?from=probe').expect(200));
  });
});

interface Schema {
  $ref?: string;
  oneOf?: Schema[];
  required?: string[];
  properties?: Record<string, unknown>;
}

interface Document {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  components: { schemas: Record<string, Schema> };
}

/** Null is a value of some settings of the account. A batch to remove needs `emails`, or else `ids`. */
const EXCEPTIONS = ['/account', '/suppressions/batch/remove emails'];

const { paths, components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as Document;

const OPTIONAL_FIELDS = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { requestBody }]) => {
    const schema = requestBody?.content['application/json']?.schema ?? {};
    const { $ref } = schema.oneOf?.[0] ?? schema;
    const { properties = {}, required = [] } = components.schemas[$ref?.split('/').at(-1) ?? ''] ?? {};
    return Object.keys(properties)
      .filter((field) => !required.includes(field))
      .filter((field) => !EXCEPTIONS.includes(path) && !EXCEPTIONS.includes(`${path} ${field}`))
      .map((field) => [method as 'post', path, field] as const);
  }),
);

describe('an optional field of a body', () => {
  it.each(OPTIONAL_FIELDS)('can be null: %s %s, %s', async (method, path, field) => {
    const url = path.replaceAll(/\{\w+\}/g, '0198a5fa-1c3d-7e2b-8a90-4b5c6d7e8f90');
    const { body } = await world
      .as(world.alice)
      [method](url)
      .send({ [field]: null });
    const errors = (body.errors ?? []) as { path: string }[];
    expect(errors.filter((error) => error.path === field)).toEqual([]);
  });

  it.each([
    { emails: ['ada@example.com'], ids: null },
    { emails: null, ids: ['0198a5fa-1c3d-7e2b-8a90-4b5c6d7e8f90'] },
  ])('can be null if the other one is given: POST /suppressions/batch/remove %j', async (body) => {
    await world.as(world.alice).post('/suppressions/batch/remove').send(body).expect(200);
  });

  it('removes what the description says, if null is not its absence', async () => {
    const api = world.as(world.alice);
    const { body: topic } = await api
      .post('/topics')
      .send({ name: 'News', description: 'Monthly', default_subscription: 'opt_in' });
    await api.patch(`/topics/${topic.id}`).send({ description: null }).expect(200);
    const { body: changed } = await api.get(`/topics/${topic.id}`);
    expect(changed).toMatchObject({ name: 'News', description: null });
  });
});

/** The documented error codes of each status. */
const CODES: Record<number, string[]> = {
  400: ['validation_error', 'route_not_found'],
  401: ['missing_api_key', 'restricted_api_key'],
  403: ['invalid_api_key', 'beta_access_required'],
  404: ['suppression_not_found', 'history_not_found', 'route_not_found'],
  405: ['method_not_allowed'],
  413: ['payload_too_large'],
  415: ['unsupported_media_type'],
};

describe('a request', () => {
  it('with any bytes in its path, query, headers and body gets a documented response', async () => {
    const method = fc.constantFrom('get', 'post', 'delete', 'put', 'patch', 'head', 'options');
    const path = fc.oneof(
      fc.constantFrom(
        '/suppressions',
        '/suppressions/batch/add',
        '/suppressions/batch/remove',
        '/suppressions/check',
      ),
      anyText().map((text) => `/suppressions/${encodeURIComponent(text.toWellFormed())}`),
      fc.string().map((text) => `/suppressions/${text.replaceAll(/[^\x21-\x7e]|[?#]/g, '')}`),
      fc.emailAddress().map((email) => `/suppressions/${encodeURIComponent(email)}/history`),
    );
    const query = fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      fc.webQueryParameters().map((text) => `?${text}`),
      fc.string().map((text) => `?after=${encodeURIComponent(text.toWellFormed())}`),
    );
    const json = fc.oneof(
      fc.json().map((text) => Buffer.from(text)),
      fc.record({ emails: fc.array(fc.oneof(anyText(), fc.anything())) }).map((body) => toJson(body)),
      fc.record({ email: fc.string({ unit: 'grapheme' }), note: anyText() }).map((body) => toJson(body)),
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
          ...(!['get', 'head'].includes(verb) && { body: Uint8Array.from(body) }),
        });
        const text = await response.text();
        if (response.status >= 300) {
          expect(CODES[response.status]).toBeDefined();
          if (verb !== 'head') {
            expect(CODES[response.status]).toContain(JSON.parse(text).code);
          }
        }
      }),
      { numRuns: cases(150, 400) },
    );
  });
});

function toJson(value: unknown): Buffer {
  return Buffer.from(
    JSON.stringify(value, (_key, inner) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? '',
  );
}

/** As Chromium sends it. */
const OF_BROWSERS = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

const GUIDES = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.md'),
);

describe('the guides', () => {
  it.each(GUIDES)('has %s as text that may be cached', async (file) => {
    const response = await world.anyone.get(`/docs/guides/${file}`).expect(200);
    expect(response.text).toBe(readFileSync(`docs/${file}`, 'utf8'));
    expect(response.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'public, max-age=3600',
    });
    await world.anyone.get(`/docs/guides/${file}`).set('If-None-Match', response.headers.etag!).expect(304);
  });

  it.each(['/docs/guides', '/docs/guides/'])('leads from %s to their overview', async (path) => {
    await world.anyone.get(path).expect(302).expect('location', '/docs/guides/README.md');
  });

  it.each(['/docs/guides/samples/suppressions.py', '/docs/integrations/go/suppressionlist.go'])(
    'shows %s as text',
    async (path) => {
      await world.anyone.get(path).expect(200).expect('content-type', 'text/plain; charset=utf-8');
    },
  );

  it.each(['/llms.txt', '/docs/README.md', '/docs/guides/README.md'])(
    'has links in %s that lead to other guides',
    async (page) => {
      const { text } = await world.anyone.get(page).expect(200);
      const links = [...text.matchAll(/\]\((?!https?:)([^)#]+\.md)/g)].map(([, link]) => link!);
      expect(links.length).toBeGreaterThan(5);
      const targets = links.map((link) => (link.startsWith('/') ? link : join(dirname(page), link)));
      for (const target of new Set(targets.filter((path) => !path.includes('bench/')))) {
        await world.anyone.get(target).expect(200);
      }
    },
  );

  it.each([
    ...GUIDES.map((file) => `/docs/guides/${file}`),
    '/docs/README.md',
    '/docs/integrations/README.md',
  ])('shows %s to a browser as a page whose links lead somewhere', async (path) => {
    const page = await world.anyone.get(path).set('Accept', OF_BROWSERS).expect(200);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'public, max-age=3600',
      vary: 'Accept',
    });
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.text).toContain('<h1 id=');
    const external = [...page.text.matchAll(/href="(https?:[^"]+)"/g)].map(([, link]) => link!);
    expect(external.filter((link) => !URL.canParse(link))).toEqual([]);
    const urls = [...page.text.matchAll(/(?:href|src)="(?!https?:|mailto:|\/console")([^"]+)"/g)];
    for (const url of new Set(urls.map(([, link]) => link!))) {
      const [target, anchor] = url.split('#') as [string, string?];
      const { text } = await world.anyone
        .get(target || path)
        .set('Accept', OF_BROWSERS)
        .redirects(1)
        .expect(200);
      expect([url, anchor === undefined || text.includes(` id="${anchor}"`)]).toEqual([url, true]);
    }
  });

  it.each([undefined, '*/*', 'text/markdown, text/html, */*', 'text/plain'])(
    'are text for clients that accept %s',
    async (accepted) => {
      const request = world.anyone.get('/docs/guides/console.md');
      const { text } = await (accepted ? request.set('Accept', accepted) : request)
        .expect('content-type', 'text/plain; charset=utf-8')
        .expect('vary', 'Accept');
      expect(text).toBe(readFileSync('docs/console.md', 'utf8'));
    },
  );

  it('shows HTML in Markdown as text, and leaves out links that lead nowhere', () => {
    const text =
      'A <img src=x onerror=alert(1)> and [a file](../secret) <!-- note -->\n\n<script>alert(2)</script>';
    const page = renderHtml(Markdown({ tokens: lexer(text), urlOf: () => undefined }));
    expect(page).toBe(
      '<!doctype html><p>A &lt;img src=x onerror=alert(1)> and a file </p>&lt;script>alert(2)&lt;/script>\n',
    );
  });

  it('gives each heading its own anchor, as GitHub does, and shows the boxes of a list of tasks', () => {
    const text = '# A `b`\n## A b\n## A b\n\n* [ ] Set *it*\n* [x] Done\n';
    const page = renderHtml(Markdown({ tokens: lexer(text), urlOf: () => undefined }));
    expect(page).toBe(
      '<!doctype html><h1 id="a-b">A <code>b</code></h1><h2 id="a-b-1">A b</h2><h2 id="a-b-2">A b</h2>' +
        '<ul><li>☐ Set <em>it</em></li><li>☑ Done</li></ul>\n',
    );
  });

  it('lists every guide in the index for assistants', async () => {
    const { text } = await world.anyone.get('/llms.txt').expect('content-type', 'text/plain; charset=utf-8');
    expect(
      GUIDES.filter((file) => file !== 'README.md' && !text.includes(`](/docs/guides/${file})`)),
    ).toEqual([]);
  });

  it.each(['/docs/guides/nothing.md', '/docs/guides/samples/'])('has no %s', async (path) => {
    await world.anyone.get(path).expect(404);
  });
});

it.each([
  ['127.0.0.1', 'http://127.0.0.1:3000'],
  ['::1', 'http://[::1]:3000'],
  ['suppressions.internal', 'http://suppressions.internal:3000'],
])('a URL of the host %s is %s', (host, url) => expect(httpUrl(host, 3000)).toBe(url));

it('a connection is kept for longer than load balancers keep it, the longest of which do so for ten minutes', async () => {
  const { headers } = await fetch(`${world.url}/healthz`);
  expect(headers.get('keep-alive')).toBe('timeout=620');
});
