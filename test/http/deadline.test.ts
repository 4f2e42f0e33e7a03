import { connect, type Socket } from 'node:net';
import request from 'supertest';
import { REQUEST_TIME_LIMIT_MS } from '../../src/config/time-limits.js';
import { skipTime } from '../support/clock.js';
import { startProxy, type Proxy } from '../support/servers/proxy.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { until, untilReceived } from '../support/until.js';
import { createWorld, suppress, type World } from '../support/world.js';

describe('a request that got 503', () => {
  let world: World;
  beforeAll(async () => (world = await createWorld({ DATABASE_POOL_SIZE: '4' })));
  afterAll(() => world.close());

  /** The statements of the service that the database works on now. */
  const running = async () => {
    const [row] = await world.database.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'suppression-list' AND state <> 'idle'`,
    );
    return row!.count;
  };

  it('has no effect when the rest of its body finally arrives', async () => {
    await suppress(world, world.alice, ['slow@example.com']);
    const body = JSON.stringify({ emails: ['slow@example.com'] });
    const { socket, answer } = open(world.url);
    const received = untilReceived(world.app.getHttpServer());
    socket.write(
      `POST /suppressions/batch/remove HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.alice}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    );
    await received;
    skipTime(REQUEST_TIME_LIMIT_MS);
    await until(() => answer().startsWith('HTTP/1.1 503'));
    expect(answer()).toContain('The body arrived too slowly');
    socket.write(body.slice(5));
    await until(() => socket.closed);
    await world.as(world.alice).get('/suppressions/slow@example.com').expect(200);
  });

  it('has no effect when the database finally responds', async () => {
    const lock = await world.database.lock('suppressions');
    const emails = Array.from({ length: 60 }, (_, index) => `late-${index}@example.com`);
    const answers = await Promise.all(
      emails.map((email) => world.as(world.alice).post('/suppressions').send({ email })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    await lock.release();
    await until(async () => (await running()) === 0);
    expect(await world.database.query(`SELECT FROM suppressions WHERE email LIKE 'late-%'`)).toHaveLength(0);
    expect(
      await world.database.query(`SELECT FROM suppression_changes WHERE email LIKE 'late-%'`),
    ).toHaveLength(0);
  });
});

describe('two thousand requests that wait for a database that does not answer', () => {
  let world: World;
  let proxy: Proxy;
  let service: TestApp;
  beforeAll(async () => {
    world = await createWorld();
    proxy = await startProxy(world.database.url);
    service = await startTestApp(proxy.url);
  });
  afterAll(async () => {
    await service.close();
    await proxy.close();
    await world.close();
  });

  it('are all answered 503 with Retry-After, and the service recovers', async () => {
    const get = () =>
      request(service.url).get('/suppressions/ada@example.com').set('Authorization', `Bearer ${world.alice}`);
    await get().expect(404);
    proxy.stall();
    const received = untilReceived(service.app.getHttpServer(), 2000);
    const answered = Promise.all(Array.from({ length: 2000 }, get));
    await received;
    skipTime(REQUEST_TIME_LIMIT_MS);
    const answers = await answered;
    expect(new Set(answers.map(({ status, headers }) => `${status} ${headers['retry-after']}`))).toEqual(
      new Set(['503 1']),
    );
    proxy.cut();
    proxy.restore();
    await until(async () => (await get()).status === 404);
  });
});

/** A connection that sends what a test writes, and what it has received so far. */
function open(url: string): { socket: Socket; answer(): string } {
  const chunks: Buffer[] = [];
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  return { socket, answer: () => Buffer.concat(chunks).toString() };
}
