import { Agent, get, request as sendRequest, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import request from 'supertest';
import { DataSource } from 'typeorm';
import { poolOf } from '../../src/database/pool.js';
import { stopClock } from '../support/clock.js';
import { startProxy, type Proxy } from '../support/servers/proxy.js';
import { createSource } from '../support/sources.js';
import { PUBLIC_URL, tokenFor } from '../support/recipients.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { until, untilReceived } from '../support/until.js';
import { createKey, createWorld, suppress, type World } from '../support/world.js';

const REQUESTS = 1_000;
const MEBI = 1024 * 1024;

describe('with more requests than the database answers', () => {
  const keptAlive = new Agent({ keepAlive: true });
  let world: World;
  let proxy: Proxy;
  let service: TestApp;
  beforeAll(async () => {
    world = await createWorld({ PUBLIC_URL });
    proxy = await startProxy(world.database.url);
    service = await startTestApp(proxy.url);
    await suppress(world, world.alice, ['ada@example.com']);
  });
  afterAll(async () => {
    keptAlive.destroy();
    await service.close();
    await proxy.close();
    await world.close();
  });

  const askAda = () =>
    request(service.url).get('/suppressions/ada@example.com').set('Authorization', `Bearer ${world.alice}`);

  /** Asks for as many addresses at once, and returns the answers. */
  async function wave(): Promise<string[]> {
    const agent = new Agent({ maxSockets: REQUESTS });
    return Promise.all(
      Array.from({ length: REQUESTS }, (_, index) =>
        answerOf(`${service.url}/suppressions/${index}@example.com`, agent, world.alice),
      ),
    );
  }

  it('answers 503, keeps its memory, and recovers by itself', async () => {
    await askAda().expect(200);
    proxy.stall();
    try {
      const first = await wave();
      const memoryAfterFirst = usedMemory();
      const second = await wave();
      expect(usedMemory() - memoryAfterFirst).toBeLessThan(12 * MEBI);
      for (const answers of [first, second]) {
        expect(new Set(answers)).toEqual(new Set(['503, Retry-After 1']));
      }
    } finally {
      proxy.restore();
    }
    await until(async () => (await askAda()).status === 200);
  });

  /** Sends 1,250 requests over 25 connections. */
  async function flood(name: string): Promise<Socket[]> {
    const received = untilReceived(service.app.getHttpServer(), 25 * 50);
    const connections = Array.from({ length: 25 }, (_, connection) =>
      pipeline(service.url, 50, (index) => [
        `GET /suppressions/${index}@example.com HTTP/1.1`,
        `Authorization: Bearer ${world.alice}`,
        `X-Request-Id: ${name}-${connection}-${index}`,
      ]),
    );
    await received;
    return connections;
  }

  it('keeps answering its probes', async () => {
    await askAda().expect(200);
    proxy.stall();
    // No request ends at its deadline.
    const clock = stopClock();
    const connections = await flood('probed');
    try {
      expect((await askAda()).body.message).toMatch(/^Too many requests/);
      await request(service.url).get('/healthz').expect(200);
      await request(service.url).get('/healthz/?from=probe').expect(200);
      clock.start();
      const { body } = await request(service.url).get('/readyz').expect(503);
      expect(body.message).toMatch(/^The database is unreachable/);
    } finally {
      clock.start();
      connections.forEach((connection) => connection.destroy());
      proxy.cut();
      proxy.restore();
    }
    await until(async () => (await askAda()).status === 200);
  });

  it('keeps room in its queue for other accounts', async () => {
    await askAda().expect(200);
    const askAsCharlie = () =>
      request(service.url)
        .get('/suppressions/ada@example.com')
        .set('Authorization', `Bearer ${world.charlie}`);
    await askAsCharlie().expect(404);
    proxy.stall();
    // No request ends at its deadline.
    const clock = stopClock();
    const connections = await flood('crowding');
    try {
      expect((await askAda()).body.message).toMatch(/^Too many requests/);
      const received = untilReceived(service.app.getHttpServer());
      const asked = askAsCharlie().then(({ body }) => body.message);
      await received;
      clock.start();
      expect(await asked).toMatch(/^The database is unreachable/);
    } finally {
      clock.start();
      connections.forEach((connection) => connection.destroy());
      proxy.cut();
      proxy.restore();
    }
    await until(async () => (await askAda()).status === 200);
  });

  it('forgets requests whose connection is reset', async () => {
    await askAda().expect(200);
    proxy.stall();
    // No request ends at its deadline.
    const clock = stopClock();
    try {
      const connections = await flood('reset');
      expect((await askAda()).body.message).toMatch(/^Too many requests/);
      connections.forEach((connection) => connection.resetAndDestroy());
      const ids = () =>
        service
          .logLines()
          .filter(({ ms, request_id: id }) => ms !== undefined && String(id).startsWith('reset-'))
          .map(({ request_id: id }) => id);
      await until(() => ids().length >= 1_000);
      expect(new Set(ids()).size).toBe(ids().length);
    } finally {
      proxy.cut();
      proxy.restore();
      clock.start();
    }
    await until(async () => (await askAda()).status === 200);
  });

  it('does not count responses that nobody reads towards the queue, and eventually closes their connections', async () => {
    const server = service.app.getHttpServer() as Server;
    const usual = server.timeout;
    expect(usual).toBe(65_000);
    const unread = () =>
      service.logLines().filter(({ route, status }) => route === '/openapi.json' && status === null);
    const ask = () => pipeline(service.url, 500, () => ['GET /openapi.json HTTP/1.1']).pause();
    const connections = [ask(), ask(), ask()];
    await askAda().expect(200);
    try {
      server.setTimeout(200);
      connections.push(ask());
      await until(() => unread().length > 0);
    } finally {
      server.setTimeout(usual);
      connections.forEach((connection) => connection.destroy());
    }
    await until(() => unread().length > 1_000);
    await askAda().expect(200);
  });

  it('limits its memory when many clients send without reading, and answers those that read', async () => {
    await askAda().expect(200);
    const before = usedMemory();
    const isClosed: boolean[] = [];
    const connections = Array.from({ length: 10 }, (_, index) => {
      const connection = pipeline(service.url, 1_700, () => ['GET /openapi.json HTTP/1.1']).pause();
      connection.on('close', () => (isClosed[index] = true));
      return connection;
    });
    for (let count = 0; count < 20; count++) {
      await askAda().expect(200);
    }
    expect(usedMemory() - before).toBeLessThan(128 * MEBI);
    connections.forEach((connection) => connection.resume());
    await until(() => isClosed.filter(Boolean).length > 5);
    connections.forEach((connection) => connection.destroy());
  });

  it.each<[string, () => Promise<string[]>]>([
    [
      'its key',
      async () => ['GET /suppressions/ada@example.com HTTP/1.1', `Authorization: Bearer ${world.alice}`],
    ],
    [
      'its source',
      async () => [`POST ${(await createSource(world, 'sendgrid')).path} HTTP/1.1`, 'Content-Length: 0'],
    ],
  ])(
    'does not count responses that nobody reads towards the limit of an account: those to %s',
    async (_whose, headOf) => {
      const head = await headOf();
      const headAt = (index: number) => (index < 10 ? ['GET /openapi.json HTTP/1.1'] : head);
      const responses: ServerResponse[] = [];
      const collect = (_request: unknown, response: ServerResponse) => void responses.push(response);
      service.app.getHttpServer().on('request', collect);
      const connections = Array.from({ length: 12 }, () => pipeline(service.url, 90, headAt).pause());
      await until(() => responses.length === 12 * 90 && responses.every(({ headersSent }) => headersSent));
      service.app.getHttpServer().off('request', collect);
      await askAda().expect(200);
      connections.forEach((connection) => connection.destroy());
    },
  );

  it('refuses requests of an account that does not read its large responses, until it closes their connections', async () => {
    const key = await createKey(world);
    const asAccount = (method: 'get' | 'post', path: string) =>
      request(service.url)[method](path).set('Authorization', `Bearer ${key}`);
    for (let batch = 0; batch < 10; batch++) {
      const emails = Array.from({ length: 100 }, (_, n) => `${batch}-${n}@example.com`);
      await asAccount('post', '/suppressions/batch/add')
        .send({ emails, note: '😀'.repeat(1_000) })
        .expect(201);
    }
    const ask = () =>
      pipeline(service.url, 2, () => [
        'GET /changes?limit=1000 HTTP/1.1',
        `Authorization: Bearer ${key}`,
      ]).pause();
    const connections: Socket[] = [];
    const refused = async (path: string) => {
      const { status, body } = await asAccount('get', path);
      return status === 503 && /have not been read/.test(body.message);
    };
    await until(() => {
      connections.push(ask());
      return refused('/suppressions?limit=1');
    });
    expect(await refused('/exports')).toBe(true);
    await askAda().expect(200);
    connections.forEach((connection) => connection.destroy());
    await until(async () => (await asAccount('get', '/exports')).status === 200);
  });

  /** Sends a body after the service has begun to read it, and returns the status of the response. */
  const sendLate = (path: string, apiKey: string, body: string) =>
    new Promise<number | undefined>((done, fail) => {
      const headers = {
        Authorization: `Bearer ${apiKey}`,
        'Content-Type': 'application/json',
        'Content-Length': body.length,
        Expect: '100-continue',
      };
      const sent = sendRequest(
        service.url + path,
        { method: 'POST', agent: keptAlive, headers },
        (response) => {
          response.resume().on('end', () => done(response.statusCode));
        },
      );
      sent.on('continue', () => sent.end(body));
      sent.on('error', fail).flushHeaders();
    });

  it.each([
    [
      'an account',
      () => [['POST /suppressions/check HTTP/1.1', `Authorization: Bearer ${world.alice}`]],
      'json',
      () => world.charlie,
    ],
    [
      'recipients',
      async () => [[`POST /u/${await tokenFor(world, world.alice, 'ada@example.com')} HTTP/1.1`]],
      'x-www-form-urlencoded',
      () => world.alice,
    ],
    [
      'several sources of the account',
      async () => {
        const sources = [await createSource(world, 'sendgrid'), await createSource(world, 'mail')];
        return sources.map(({ path }) => [`POST ${path} HTTP/1.1`]);
      },
      'json',
      () => world.alice,
    ],
  ])(
    'answers others while the bodies of %s arrive too slowly, every time',
    async (_sender, headsOf, type, other) => {
      const fields = [`Content-Type: application/${type}`, 'Content-Encoding: gzip', 'Content-Length: 100'];
      const heads = (await headsOf()).map((head) => [...head, ...fields]);
      for (let round = 0; round < 2; round++) {
        let refused = 0;
        // No body arrives too slowly.
        const clock = stopClock();
        const connections = Array.from({ length: 400 }, (_, index) => {
          const connection = pipeline(service.url, 1, () => heads[index % heads.length]!);
          connection.on('data', (data) => (refused += data.includes('503 ') ? 1 : 0));
          return connection;
        });
        try {
          await until(() => refused === 150);
          expect(await sendLate('/suppressions/check', other(), '{"emails":["ada@example.com"]}')).toBe(200);
        } finally {
          clock.start();
          connections.forEach((connection) => connection.destroy());
        }
        await until(async () => (await countConnections(service)) < 10);
      }
    },
  );

  it('answers others while one person sends slow bodies as an account, its source, and a recipient', async () => {
    const { path } = await createSource(world, 'sendgrid');
    const heads = [
      [
        'POST /suppressions/check HTTP/1.1',
        `Authorization: Bearer ${world.alice}`,
        'Content-Type: application/json',
      ],
      [`POST ${path} HTTP/1.1`],
      [`POST /u/${await tokenFor(world, world.alice, 'ada@example.com')} HTTP/1.1`],
    ].map((head) => [...head, 'Content-Type: application/x-www-form-urlencoded', 'Content-Length: 100']);
    let refused = 0;
    const clock = stopClock();
    const connections = Array.from({ length: 810 }, (_, index) => {
      const connection = pipeline(service.url, 1, () => heads[index % heads.length]!);
      connection.on('data', (data) => (refused += data.includes('503 ') ? 1 : 0));
      return connection;
    });
    try {
      await until(() => refused === 60);
      const body = '{"emails":["ada@example.com"]}';
      expect(await sendLate('/suppressions/check', world.charlie, body)).toBe(200);
      await askAda().expect(200);
    } finally {
      clock.start();
      connections.forEach((connection) => connection.destroy());
    }
    await until(async () => (await countConnections(service)) < 10);
  });

  it('has room for other bodies of an account after bodies that it refused', async () => {
    const statuses = new Set<number | undefined>();
    for (let count = 0; count < 300; count++) {
      statuses.add(await sendLate('/suppressions', world.alice, 'not JSON'));
    }
    expect(statuses).toEqual(new Set([400]));
  });

  it.each([
    ['adds', 'suppression_changes', 'post', '/suppressions', { email: 'turn@example.com' }],
    ['reads', 'topics', 'get', '/topics', undefined],
  ] as const)(
    'serves an account in its turn while another one %s often',
    async (_what, table, method, path, body) => {
      const { max } = poolOf(service.app.get(DataSource)).options;
      const lock = await world.database.lock(table);
      const ended: string[] = [];
      const ask = async (name: string, key: string) => {
        const asked = request(service.url)[method](path).set('Authorization', `Bearer ${key}`).send(body);
        expect((await asked).status).toBeLessThan(300);
        ended.push(name);
      };
      const received = untilReceived(service.app.getHttpServer(), 60);
      const crowd = Array.from({ length: 60 }, () => ask('crowd', world.alice));
      await received;
      await world.database.untilWaiting(max - 1);
      const other = ask('other', world.charlie);
      await world.database.untilWaiting(max);
      await lock.release();
      await Promise.all([...crowd, other]);
      expect(ended.indexOf('other')).toBeLessThan(40);
    },
  );

  it('lets a lookup pass a waiting batch of another account', async () => {
    await askAda().expect(200);
    const ledger = await world.database.lock('suppression_changes');
    const batch = request(service.url)
      .post('/suppressions/batch/add')
      .set('Authorization', `Bearer ${world.charlie}`)
      .send({ emails: Array.from({ length: 100 }, (_, index) => `${index}@example.com`) })
      .then(({ status }) => status);
    try {
      await world.database.untilWaiting();
      await askAda().expect(200);
      expect(await world.database.countWaiting()).toBeGreaterThan(0);
    } finally {
      await ledger.release();
    }
    expect(await batch).toBe(201);
  });
});

function countConnections({ app }: TestApp): Promise<number> {
  return new Promise((done, fail) => {
    (app.getHttpServer() as Server).getConnections((error, count) => (error ? fail(error) : done(count)));
  });
}

/** Sends as many requests over one connection, without waiting for an answer. */
function pipeline(url: string, requests: number, headOf: (index: number) => string[]): Socket {
  const heads = Array.from({ length: requests }, (_, index) =>
    [...headOf(index), 'Host: x', '', ''].join('\r\n'),
  );
  const connection = connect(Number(new URL(url).port), '127.0.0.1');
  connection.on('error', () => undefined);
  connection.write(heads.join(''));
  return connection;
}

function answerOf(url: string, agent: Agent, apiKey: string): Promise<string> {
  return new Promise((done, fail) => {
    get(url, { agent, headers: { Authorization: `Bearer ${apiKey}` } }, (response) => {
      response.resume().on('end', () => {
        done(`${response.statusCode}, Retry-After ${response.headers['retry-after']}`);
      });
    }).on('error', fail);
  });
}

function usedMemory(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
