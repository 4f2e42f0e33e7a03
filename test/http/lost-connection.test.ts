import { getDataSourceToken } from '@nestjs/typeorm';
import { DatabaseError } from 'pg';
import type { Test } from 'supertest';
import { QueryFailedError, type DataSource } from 'typeorm';
import { isDatabaseUnavailable } from '../../src/database/unavailable.js';
import { transactionBefore } from '../../src/database/transaction.js';
import { cases } from '../support/cases.js';
import { signIn } from '../support/console.js';
import { createSource, sparkpostBatch } from '../support/sources.js';
import { until } from '../support/until.js';
import { createWorld, suppress, type World } from '../support/world.js';

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
      alice.post('/webhooks').send({ endpoint: 'https://hooks.example.com/', events: ['suppression.added'] }),
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
    await until(async () => {
      await world.database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${OWN_BACKENDS} AND (state <> 'idle' OR random() < 0.2)`,
      );
      const answered = statuses.flat().length;
      await until(() => statuses.flat().length >= answered + SENDERS);
      return statuses.every((own) => own.length >= cases(10, 25));
    });
    test.finished = true;
    await senders;
    expect(statuses.flat()).toContain(503);
    expect(statuses.map((own) => own.filter((status) => status >= 500 && status !== 503))).toEqual(
      operations.map(() => []),
    );
  });

  it('is reported as unavailable if the connection breaks between the last statement and COMMIT', async () => {
    const dataSource = world.app.get<DataSource>(getDataSourceToken());
    const lost = transactionBefore(dataSource, performance.now() + 60_000, async ({ queryRunner }) => {
      const [{ pid }] = await queryRunner!.query('SELECT pg_backend_pid() AS pid');
      await world.database.query('SELECT pg_terminate_backend($1)', [pid]);
      await until(() => queryRunner!.isReleased);
    });
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
