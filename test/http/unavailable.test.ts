import request from 'supertest';
import { startProxy, type Proxy } from '../support/servers/proxy.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
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
    expect(body.message).toBe('The disk of the database is full, so nothing can be stored.');
  });
});
