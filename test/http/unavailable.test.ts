import { connect, type Socket } from 'node:net';
import { getDataSourceToken } from '@nestjs/typeorm';
import { DatabaseError } from 'pg';
import request, { type Test } from 'supertest';
import { type DataSource, QueryFailedError } from 'typeorm';
import { REQUEST_TIME_LIMIT_MS } from '../../src/config/time-limits.js';
import { transactionBefore } from '../../src/database/transaction.js';
import { isDatabaseUnavailable } from '../../src/database/errors.js';
import { cases } from '../support/cases.js';
import { skipTime } from '../support/clock.js';
import { signIn } from '../support/console.js';
import { type Proxy, startProxy } from '../support/servers/proxy.js';
import { createSource, sparkpostBatch } from '../support/sources.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { until, untilReceived } from '../support/until.js';
import { createWorld, suppress, type World } from '../support/world.js';

describe('without the database', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
    await suppress(world, world.alice, ['ada@example.com']);
  });
  afterAll(() => world.close());

  /**
   * Runs a test with two instances that reach the database through a proxy of their own, since most tests run at the same time.
   */
  const withProxy = async (test: (proxy: Proxy, service: TestApp, idle: TestApp) => Promise<void>) => {
    const proxy = await startProxy(world.database.url);
    const service = await startTestApp(proxy.url, { DATABASE_POOL_SIZE: '4' });
    const idle = await startTestApp(proxy.url);
    try {
      await test(proxy, service, idle);
    } finally {
      await idle.close();
      await service.close();
      await proxy.close();
    }
  };

  const calls = (service: TestApp): Promise<request.Response>[] => {
    const alice = request.agent(service.url).set('Authorization', `Bearer ${world.alice}`);
    return [
      alice.get('/suppressions/ada@example.com'),
      alice.get('/suppressions'),
      alice.get('/suppressions/ada@example.com/history'),
      alice.post('/suppressions/check').send({ emails: ['ada@example.com', 'new@example.com'] }),
      alice.post('/suppressions/batch/add').send({ emails: ['new@example.com'] }),
      alice.post('/suppressions/batch/remove').send({ emails: ['ada@example.com'] }),
      request(service.url).get('/readyz'),
    ].map((call) => call.then((response) => response));
  };
  const lookUpAda = (service: TestApp): Promise<number> =>
    request(service.url)
      .get('/suppressions/ada@example.com')
      .set('Authorization', `Bearer ${world.alice}`)
      .then(({ status }) => status);
  const recovered = async (service: TestApp) => {
    await until(async () => (await request(service.url).get('/readyz')).status === 200);
    expect(await lookUpAda(service)).toBe(200);
  };

  it.concurrent.each(['cut', 'stall'] as const)(
    'every operation answers 503 with Retry-After when the connection is %s, and works again by itself',
    (how) =>
      withProxy(async (proxy, service) => {
        await recovered(service);
        proxy[how]();
        for (const { status, headers, body } of await Promise.all(calls(service))) {
          expect({ status, retryAfter: headers['retry-after'] }).toEqual({ status: 503, retryAfter: '1' });
          expect(body).toMatchObject({
            statusCode: 503,
            name: 'application_error',
            code: 'service_unavailable',
          });
        }
        await request(service.url).get('/healthz').expect(200);
        proxy.restore();
        await recovered(service);
      }),
  );

  it.concurrent('does not keep callers waiting for long, even if many wait', () =>
    withProxy(async (proxy, service, idle) => {
      await recovered(service);
      proxy.stall();
      const many = Array.from({ length: 10 }, () => calls(service)).flat();
      await Promise.race(many);
      const answered = Promise.all(many);
      const laterAlone = lookUpAda(idle);
      expect(await Promise.race([answered.then(() => 'many'), laterAlone])).toBe('many');
      expect((await answered).map(({ status }) => status)).toEqual(Array(70).fill(503));
      expect(await laterAlone).toBe(503);
      proxy.restore();
      await recovered(service);
    }),
  );

  it.concurrent(
    'answers 503 and applies nothing if another session locks the table for too long',
    async () => {
      // The other tests of this file only read the table meanwhile.
      const lock = await world.database.lock('suppressions', 'EXCLUSIVE');
      await world.as(world.alice).post('/suppressions').send({ email: 'late@example.com' }).expect(503);
      await lock.release();
      await recovered(world);
      const rows = await world.database.query(`SELECT FROM suppressions WHERE email = 'late@example.com'`);
      expect(rows).toHaveLength(0);
    },
  );

  it('answers 503 and names the cause if the disk of the database is full', async () => {
    await world.database.query(
      `CREATE FUNCTION fill_disk() RETURNS trigger LANGUAGE plpgsql
      AS $$BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END$$`,
    );
    await world.database.query(
      'CREATE TRIGGER fill_disk BEFORE INSERT ON suppressions EXECUTE FUNCTION fill_disk()',
    );
    const { body } = await world
      .as(world.alice)
      .post('/suppressions')
      .send({ email: 'full@example.com' })
      .expect(503);
    expect(body.message).toBe('The disk of the database is full.');
  });
});

describe('requests on broken connections', () => {
  const SENDERS = 8;

  const OWN_BACKENDS = `datname = current_database() AND application_name = 'suppression-list'`;

  /** What a caller, a provider, or a person in the console does. Each gets an address of its own. */
  type Operation = (email: string) => Test;

  /** A stream that breaks off shows that its file is incomplete. */
  async function statusOf(test: Test): Promise<number> {
    try {
      return (await test).status;
    } catch (error) {
      expect(test.url).toMatch(/export|changes|scrubs/);
      expect(error).toMatchObject({ code: 'ECONNRESET' });
      return 503;
    }
  }

  describe('a database whose connections break', () => {
    let world: World;
    let operations: Operation[];
    beforeAll(async () => {
      world = await createWorld();
      const alice = world.as(world.alice);
      const browser = await signIn(world, 'admin');
      const idOf = async (test: Test): Promise<string> => (await test).body.id;
      await suppress(world, world.alice, ['ada@example.com']);
      const topic = await idOf(alice.post('/topics').send({ name: 'News', default_subscription: 'opt_in' }));
      const webhook = await idOf(
        alice
          .post('/webhooks')
          .send({ endpoint: 'https://hooks.example.com/', events: ['suppression.added'] }),
      );
      const rule = { pattern: 'rule.example.com', effect: 'allow' };
      const source = await createSource(world, 'sparkpost', {
        options: { softLimit: { failures: 3, days: 7 } },
      });
      const { username = '', password = '' } = source.secrets;
      const paths = [
      '/suppressions', '/suppressions/count', '/suppressions/summary', '/rules', '/topics', '/events', '/imports', '/exports',
      '/changes', '/account', '/audit-log', `/webhooks/${webhook}`, `/webhooks/${webhook}/deliveries`,
    ]; // prettier-ignore
      const pages = ['', '/list', '?q=ada@example.com', '/sources', '/topics', '/rules', '/people', '/api-keys', '/webhooks',
      '/imports', '/settings', '/audit-log', '/list/export',
    ]; // prettier-ignore
      operations = [
        ...paths.map((path) => () => alice.get(path)),
        ...pages.map((page) => () => browser.get(`/console${page}`)),
        () => alice.get('/suppressions/ada@example.com'),
        () => alice.get('/suppressions/ada@example.com/history'),
        (email) => alice.post('/suppressions').send({ email }),
        (email) => alice.delete(`/suppressions/${email}`),
        (email) => alice.post('/suppressions/batch/add').send({ emails: [email, `other-${email}`] }),
        (email) => alice.post('/suppressions/batch/remove').send({ emails: [email, `other-${email}`] }),
        (email) => alice.post('/suppressions/check').send({ emails: [email] }),
        (email) => alice.post('/events').send({ type: 'bounce', email }),
        (email) =>
          world.anyone
            .post(source.path)
            .auth(username, password)
            .send(sparkpostBatch([{ type: 'bounce', bounce_class: '22', raw_rcpt_to: email }])),
        (email) => alice.post('/imports').set('Content-Type', 'text/csv').send(`email\n${email}\n`),
        (email) => alice.post('/scrubs').set('Content-Type', 'text/csv').send(`email\n${email}\n`),
        (email) => alice.patch(`/contacts/${email}/topics`).send([{ id: topic, subscription: 'opt_out' }]),
        (email) => alice.post('/unsubscribe-links').send({ emails: [email] }),
        () => alice.patch(`/topics/${topic}`).send({ name: 'News' }),
        () => alice.post('/rules').send(rule),
        () => alice.patch('/account').send({ complaint_reach: 'all' }),
        () => alice.patch(`/webhooks/${webhook}`).send({ endpoint: 'https://hooks.example.com/2' }),
        () => alice.post(`/webhooks/${webhook}/signing-secret/rotate`).send({}),
        (email) => browser.post('/console/people').send({ email, role: 'viewer' }),
      ];
    });
    afterAll(() => world.close());

    it('never causes a 500, whatever the request was about to do', async () => {
      for (const operation of operations) {
        const test = operation('first@example.com');
        expect([test.url, (await test).status < 400]).toEqual([test.url, true]);
      }
      const test = { finished: false };
      const statuses = operations.map((): number[] => []);
      const send = async (sender: number) => {
        for (let turn = sender; !test.finished; turn += SENDERS) {
          const index = turn % operations.length;
          statuses[index]!.push(await statusOf(operations[index]!(`terminated-${turn}@example.com`)));
        }
      };
      const senders = Promise.all(Array.from({ length: SENDERS }, (_, index) => send(index)));
      while (statuses.some((own) => own.length < cases(6, 12))) {
        await world.database.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${OWN_BACKENDS} AND (state <> 'idle' OR random() < 0.2)`,
        );
        const answered = statuses.flat().length;
        await until(() => statuses.flat().length >= answered + SENDERS);
      }
      test.finished = true;
      await senders;
      expect(statuses.flat()).toContain(503);
      expect(statuses.map((own) => own.filter((status) => status >= 500 && status !== 503))).toEqual(
        operations.map(() => []),
      );
    });

    it('is reported as unavailable if the connection breaks between the last statement and COMMIT', async () => {
      const dataSource = world.app.get<DataSource>(getDataSourceToken());
      const lost = transactionBefore(
        dataSource,
        { deadline: performance.now() + 60_000 },
        async ({ queryRunner }) => {
          const [{ pid }] = await queryRunner!.query('SELECT pg_backend_pid() AS pid');
          await world.database.query('SELECT pg_terminate_backend($1)', [pid]);
          await until(() => queryRunner!.isReleased);
        },
      );
      expect(isDatabaseUnavailable(await lost.catch((error: unknown) => error))).toBe(true);
    });
  });

  it('counts a transaction that was idle for too long as unavailable', () => {
    const error = Object.assign(new Error('terminating connection'), { code: '25P03' });
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  it('takes no network code for a reply of PostgreSQL', () => {
    const error = (code: string) =>
      new QueryFailedError('SELECT 1', [], Object.assign(new Error(code), { code }));
    expect(['EPIPE', 'ECONNRESET'].map((code) => isDatabaseUnavailable(error(code)))).toEqual([true, true]);
    const refused = Object.assign(new DatabaseError('division by zero', 16, 'error'), { code: '22012' });
    expect(isDatabaseUnavailable(new QueryFailedError('SELECT 1 / 0', [], refused))).toBe(false);
  });

  describe('DDL under a running service', () => {
    let world: World;
    beforeAll(async () => (world = await createWorld({ DATABASE_POOL_SIZE: '4' })));
    afterAll(() => world.close());

    const retype = (type: string) =>
      world.database.query(`ALTER TABLE suppressions ALTER COLUMN email TYPE ${type}`);

    it('that changes the result of a prepared statement is noticed and the statement prepared again', async () => {
      await suppress(world, world.alice, ['ddl@example.com']);
      const alice = world.as(world.alice);
      const requests = () => [
        alice.get('/suppressions/ddl@example.com'),
        alice.post('/suppressions').send({ email: 'ddl@example.com' }),
        alice.post('/suppressions/check').send({ emails: ['ddl@example.com'] }),
        alice.post('/suppressions/batch/remove').send({ emails: ['nobody@example.com'] }),
        alice.post('/events').send({ type: 'bounce', email: 'ddl-event@example.com' }),
      ];
      const statuses = async () => (await Promise.all(requests())).map(({ status }) => status);
      for (const type of ['varchar', 'text', 'varchar']) {
        for (let round = 0; round < 4; round++) {
          expect(await statuses()).toEqual([200, 200, 200, 200, 200]);
        }
        await retype(type);
      }
      expect(await statuses()).toEqual([200, 200, 200, 200, 200]);
    });

    it('that hides the tables makes the service unavailable, not broken', async () => {
      await world.database.query('ALTER SCHEMA public RENAME TO hidden');
      try {
        const { body } = await world.as(world.alice).get('/suppressions/nobody@example.com').expect(503);
        expect(body.message).toContain('search_path');
        await world.anyone.get('/readyz').expect(503);
      } finally {
        await world.database.query('ALTER SCHEMA hidden RENAME TO public');
      }
      await until(
        async () => (await world.as(world.alice).get('/suppressions/nobody@example.com')).status === 404,
      );
    });
  });
});

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
