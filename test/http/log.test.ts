import { connect } from 'node:net';
import { browserAt, invite, signIn } from '../support/console.js';
import { createSource } from '../support/sources.js';
import { until } from '../support/until.js';
import { createWorld, suppress, type World } from '../support/world.js';

describe('the log', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld()));
  afterAll(() => world.close());

  const linesOf = async (requestId: string) => {
    const lines = () => world.logLines().filter((line) => line.request_id === requestId);
    await until(() => lines().length > 0);
    return lines();
  };

  it('has one line for each request: ids, method, route pattern, status, milliseconds', async () => {
    await world.as(world.alice).get('/suppressions/secret.person@example.com').set('X-Request-Id', 'first.1');
    expect(await linesOf('first.1')).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/Z$/),
        request_id: 'first.1',
        account_id: expect.any(Number),
        api_key_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        method: 'GET',
        route: '/suppressions/:suppression',
        status: 404,
        ms: expect.any(Number),
        msg: 'request',
      },
    ]);
  });

  it('names the trace of the caller', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    await world.anyone
      .get('/suppressions')
      .set({ 'X-Request-Id': 'traced', traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
    expect(await linesOf('traced')).toMatchObject([{ trace_id: traceId }]);
    await world.anyone.get('/suppressions').set({ 'X-Request-Id': 'untraced', traceparent: world.alice });
    expect((await linesOf('untraced'))[0]).not.toHaveProperty('trace_id');
  });

  it('has no line for a probe that succeeds', async () => {
    await world.anyone.get('/readyz').set('X-Request-Id', 'probe').expect(200);
    await world.anyone.get('/suppressions').set('X-Request-Id', 'after.probe');
    await linesOf('after.probe');
    expect(world.logLines().filter(({ request_id }) => request_id === 'probe')).toEqual([]);
  });

  it('names the account and the key of a request that the key may not make', async () => {
    await world.as(world.bob).delete('/suppressions/nobody@example.com').set('X-Request-Id', 'restricted');
    expect(await linesOf('restricted')).toMatchObject([{ status: 401, api_key_id: expect.any(String) }]);
  });

  it('names the account and the person of a request of the console, without the address', async () => {
    const browser = await signIn(world, 'viewer', 'secret.person@acme.example');
    await browser.get('/console').set('X-Request-Id', 'console.1').expect(200);
    await browser.post('/console/people').set('X-Request-Id', 'console.2').expect(403);
    for (const [requestId, status] of [
      ['console.1', 200],
      ['console.2', 403],
    ] as const) {
      const [line] = await linesOf(requestId);
      expect(line).toMatchObject({
        account_id: world.acme.id,
        person_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        status,
      });
      expect(line).not.toHaveProperty('api_key_id');
      expect(JSON.stringify(line)).not.toContain('secret');
    }
  });

  it('names the account and the source of a delivery, also of one that is refused', async () => {
    const source = await createSource(world, 'postmark');
    await world.anyone.post(`/inbound/${source.urlId}`).set('X-Request-Id', 'forged').send({}).expect(401);
    expect(await linesOf('forged')).toMatchObject([
      { account_id: world.acme.id, source_id: source.id, status: 401 },
    ]);
  });

  it('has no route for a path that does not exist', async () => {
    await world.anyone.get('/secret.person@example.com').set('X-Request-Id', 'second');
    expect(await linesOf('second')).toMatchObject([{ route: null, status: 404 }]);
  });

  it('takes the X-Request-Id of the caller, or makes one, and returns it', async () => {
    const taken = await world.anyone.get('/healthz').set('X-Request-Id', 'abc-123');
    expect(taken.headers['x-request-id']).toBe('abc-123');
    const made = await world.anyone.get('/healthz');
    expect(made.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    for (const bad of [
      'secret.person@example.com',
      world.alice,
      `id-${world.alice}`,
      'x'.repeat(200),
      'a b',
    ]) {
      const { headers } = await world.anyone.get('/healthz').set('X-Request-Id', bad);
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('never has an address, a key or a body, whatever goes wrong', async () => {
    const secret = 'secret.person@example.com';
    await suppress(world, world.alice, [secret]);
    await world.as(world.alice).get(`/suppressions/${secret}`);
    await world.as(world.alice).get(`/suppressions/${secret}/x?email=${secret}`);
    await world
      .as(world.alice)
      .post('/suppressions')
      .send({ email: `${secret} x`, note: secret });
    await world
      .as(world.alice)
      .post('/suppressions')
      .set('Content-Type', 'application/json')
      .send(`{"${secret}"`);
    await world.as(`${world.alice}x`).get('/suppressions').set('X-Request-Id', secret);
    await world.database.query('ALTER TABLE suppressions ADD CONSTRAINT broken CHECK (false) NOT VALID');
    const failed = await world
      .as(world.alice)
      .post('/suppressions')
      .send({ email: `other.${secret}` });
    const editor = await signIn(world, 'editor');
    const page = await editor.post('/console/add').send({ emails: `page.${secret}` });
    await world.database.query('ALTER TABLE suppressions DROP CONSTRAINT broken');
    expect(page.status).toBe(500);
    expect(page.text).toContain(
      `the id of the request.</p><p class="muted">Request <span class="mono">${page.headers['x-request-id']}<`,
    );
    const message =
      'Something went wrong on our side. The log has details under the id in the X-Request-Id header.';
    expect(failed.status).toBe(500);
    expect(failed.body).toEqual({
      statusCode: 500,
      name: 'internal_server_error',
      code: 'internal_server_error',
      message,
      error: { statusCode: 500, name: 'internal_server_error', message },
    });
    await linesOf(failed.headers['x-request-id']!);
    const log = JSON.stringify(world.logLines());
    expect(log).toContain('unexpected error');
    expect(log).not.toContain('secret');
    expect(log).not.toContain(world.alice);
  });

  it('has no error for an upload that the browser cuts off', async () => {
    const link = new URL(await invite(world, 'editor'));
    const { headers } = await browserAt(world).post(link.pathname).expect(303);
    const { hostname, port } = new URL(world.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      [
        'POST /console/imports HTTP/1.1',
        'Host: localhost',
        'Sec-Fetch-Site: same-origin',
        'X-Request-Id: cut-off',
        `Cookie: ${headers['set-cookie']![0]!.split(';')[0]}`,
        'Content-Type: multipart/form-data; boundary=b',
        'Content-Length: 1000000',
        '',
        '--b',
        'Content-Disposition: form-data; name="file"; filename="list.csv"',
        '',
        `email\n${'ada@example.com\n'.repeat(10_000)}`,
      ].join('\r\n'),
    );
    await until(async () => {
      const uploads = await world.database.query(`SELECT FROM jobs WHERE status = 'uploading'`);
      return uploads.length > 0;
    });
    socket.destroy();
    await linesOf('cut-off');
    await until(async () => {
      const abandoned = await world.database.query(`SELECT FROM jobs WHERE leased_until = '-infinity'`);
      return abandoned.length > 0;
    });
    await world.anyone.get('/healthz');
    expect(await linesOf('cut-off')).toMatchObject([{ msg: 'request', route: '/console/imports' }]);
  });
});

describe('the log without requests', () => {
  it('has no lines for requests with ACCESS_LOG=false', async () => {
    const world = await createWorld({ ACCESS_LOG: 'false' });
    await world.anyone.get('/suppressions').expect(401);
    await world.close();
    expect(world.logLines().filter((line) => 'request_id' in line)).toEqual([]);
  });
});
