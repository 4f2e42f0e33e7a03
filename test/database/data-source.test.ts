import type { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { MigrationClient, withSocketTimeout } from '../../src/database/connections.js';
import { createDataSource, createMigrationDataSource } from '../../src/database/data-source.js';
import { startProxy } from '../support/servers/proxy.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { DatabaseError, forOperator, markLost } from '../../src/database/errors.js';
import { SCHEMA } from '../../src/schema.js';

describe('the connections of an instance', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  beforeAll(async () => {
    database = await createTestDatabase();
    const name = new URL(database.url).pathname.slice(1);
    await database.query(`ALTER DATABASE ${name} SET DateStyle = 'German'`);
    await database.query(`ALTER DATABASE ${name} SET statement_timeout = '1s'`);
    await database.query(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
    await database.query(`ALTER DATABASE ${name} SET standard_conforming_strings = off`);
    dataSource = await createDataSource(database.url, 1, SCHEMA).initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  it.each([
    ['a URL', (url: URL) => url.href],
    ['a URL with its host among the parameters', withHostAmongParameters],
  ])('have our options in addition to those of %s', async (_what, hrefOf) => {
    const url = new URL(database.url);
    url.searchParams.set('options', '-c work_mem=5MB -c enable_seqscan=on');
    url.searchParams.set('statement_timeout', '60000');
    const own = await createDataSource(hrefOf(url), 1, SCHEMA).initialize();
    const [row] = await own.query(
      `SELECT current_setting('enable_seqscan') AS seqscan, current_setting('jit') AS jit, current_setting('work_mem') AS memory,
         current_setting('statement_timeout') AS timeout,
         current_setting('idle_in_transaction_session_timeout') AS "idleTimeout",
         current_setting('transaction_isolation') AS isolation`,
    );
    await own.destroy();
    expect(row).toEqual({
      seqscan: 'off',
      jit: 'off',
      memory: '5MB',
      timeout: '4s',
      idleTimeout: '10s',
      isolation: 'read committed',
    });
  });

  it('have no time limit while they migrate', async () => {
    const migrating = await createMigrationDataSource(database.url, SCHEMA).initialize();
    const [row] = await migrating.query(`SELECT current_setting('statement_timeout') AS timeout`);
    await migrating.destroy();
    expect(row).toEqual({ timeout: '0' });
  });

  it('that migrate, or probe a pooler, do not end the process if they break', async () => {
    const proxy = await startProxy(database.url);
    const client = new MigrationClient({ connectionString: proxy.url });
    await client.connect();
    proxy.cut();
    await expect(client.query('SELECT')).rejects.toThrow();
    await proxy.close();
  });

  it('are closed if the server is lost during a statement, even if they were idle before', async () => {
    const proxy = await startProxy(database.url);
    const own = await createDataSource(proxy.url, 1, SCHEMA).initialize();
    const runner = own.createQueryRunner();
    const client = (await runner.connect()) as Client;
    client.connection.stream.emit('timeout');
    proxy.stall();
    const lost = withSocketTimeout(runner.manager, 50, () => client.query('SELECT'));
    await expect(lost).rejects.toThrow('Connection terminated');
    await runner.release();
    proxy.restore();
    expect(await own.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await own.destroy();
    await proxy.close();
  });

  it('read timestamps whatever the DateStyle of the database is', async () => {
    const moment = `timestamptz '2026-02-01 09:30:00.123+00'`;
    const [row] = await dataSource.query(
      `SELECT ${moment} AS moment, (${moment} AT TIME ZONE 'UTC')::text AS text`,
    );
    expect(row).toEqual({ moment: new Date('2026-02-01T09:30:00.123Z'), text: '2026-02-01 09:30:00.123' });
  });

  it('read a backslash as itself, as those of migrations do', async () => {
    const migrating = await createMigrationDataSource(database.url, SCHEMA).initialize();
    for (const each of [dataSource, migrating]) {
      expect(await each.query(String.raw`SELECT '\n' AS text`)).toEqual([{ text: String.raw`\n` }]);
    }
    await migrating.destroy();
  });
});

/** As for a server behind a socket of the system: a URL that only PostgreSQL reads. */
function withHostAmongParameters({
  username,
  password,
  hostname,
  port,
  pathname,
  searchParams,
}: URL): string {
  searchParams.set('host', hostname);
  searchParams.set('port', port);
  return `postgresql://${username}:${password}@${pathname}?${searchParams}`;
}

it('an error that has only a code, such as one about several addresses, names the code to operators', () => {
  const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
  expect(forOperator(markLost(refused))).toEqual(
    new DatabaseError('The database failed or was too slow: ECONNREFUSED. Try again.'),
  );
});
