import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/database/data-source.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

describe('the connections of an instance', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  beforeAll(async () => {
    database = await createTestDatabase();
    const name = new URL(database.url).pathname.slice(1);
    await database.query(`ALTER DATABASE ${name} SET DateStyle = 'German'`);
    const url = new URL(database.url);
    url.searchParams.set('options', '-c work_mem=5MB');
    dataSource = await createDataSource(url.href, 1).initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  it('have our options and those of the URL', async () => {
    const [row] = await dataSource.query(
      `SELECT current_setting('enable_seqscan') AS seqscan, current_setting('work_mem') AS memory`,
    );
    expect(row).toEqual({ seqscan: 'off', memory: '5MB' });
  });

  it('read moments whatever the style of the database is', async () => {
    const moment = `timestamptz '2026-02-01 09:30:00.123+00'`;
    const [row] = await dataSource.query(
      `SELECT ${moment} AS moment, (${moment} AT TIME ZONE 'UTC')::text AS text`,
    );
    expect(row).toEqual({ moment: new Date('2026-02-01T09:30:00.123Z'), text: '2026-02-01 09:30:00.123' });
  });
});
