import { Client } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { REQUEST_TIME_LIMIT_MS } from '../../src/config/time-limits.js';
import { createDataSource } from '../../src/database/data-source.js';
import { PreparedStatement, STATEMENTS } from '../../src/database/prepared-statement.js';
import { DeadlineExceededError } from '../../src/database/errors.js';
import { runTogether } from '../../src/database/run-together.js';
import { limitStatements, snapshotBefore, transactionBefore } from '../../src/database/transaction.js';
import { skipTime } from '../support/clock.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';
import { SCHEMA } from '../../src/schema.js';
import '../../src/app.module.js';

const ADD_ACCOUNT = new PreparedStatement<Record<string, never>>(
  'add-account',
  'INSERT INTO accounts (name) VALUES ($1)',
);

describe('a transaction within a request', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await createDataSource(database.url, 2, SCHEMA).initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  const names = async () =>
    (await database.query<{ name: string }>('SELECT name FROM accounts')).map(({ name }) => name);

  it('is rolled back when its time ends after its last statement', async () => {
    const deadline = performance.now() + 1_000;
    const late = transactionBefore(dataSource, { deadline }, async (transaction) => {
      await ADD_ACCOUNT.run(transaction, ['late']);
      await until(() => performance.now() >= deadline);
    });
    await expect(late).rejects.toThrow(DeadlineExceededError);
    expect(await names()).not.toContain('late');
    const early = performance.now() + 60_000;
    await transactionBefore(dataSource, { deadline: early }, (transaction) =>
      ADD_ACCOUNT.run(transaction, ['early']),
    );
    expect(await names()).toContain('early');
  });

  it('is rolled back when it takes longer than a request, whatever its deadline is', async () => {
    const endless = transactionBefore(dataSource, { deadline: Infinity }, async (transaction) => {
      await ADD_ACCOUNT.run(transaction, ['endless']);
      skipTime(REQUEST_TIME_LIMIT_MS);
    });
    await expect(endless).rejects.toThrow(DeadlineExceededError);
    expect(await names()).not.toContain('endless');
  });

  it('for reads refuses to write', async () => {
    const limits = { deadline: Infinity, statementTimeoutMs: 4_000 };
    const writing = snapshotBefore(dataSource, limits, '', (snapshot) =>
      ADD_ACCOUNT.run(snapshot, ['read-only']),
    );
    await expect(writing).rejects.toThrow(/read-only transaction/);
  });

  it('without a deadline runs no statement', async () => {
    const add = (transaction: EntityManager) => ADD_ACCOUNT.run(transaction, ['endless']);
    await expect(dataSource.transaction(add)).rejects.toThrow(/transactionBefore/);
    expect(await names()).not.toContain('endless');
  });

  it.each(['at once', 'one after the other'])(
    'fails with what the first statement failed with, and undoes those behind it, if they are sent %s',
    async (way) => {
      const failing = transactionBefore(
        dataSource,
        { deadline: performance.now() + 60_000 },
        async (transaction) => {
          if (way === 'at once') {
            limitStatements(transaction, 500, 100);
          }
          await runTogether(transaction, [
            () => ADD_ACCOUNT.run(transaction, ['before']),
            // The name of an account is unique. More turns pass before this failure is known than before that of the next.
            async () => {
              try {
                await ADD_ACCOUNT.run(transaction, ['before']);
              } finally {
                await Promise.resolve();
                await Promise.resolve();
              }
            },
            () => ADD_ACCOUNT.run(transaction, ['behind']),
          ]);
        },
      );
      await expect(failing).rejects.toThrow(/duplicate key/);
      expect(await names()).not.toContain('before');
      expect(await names()).not.toContain('behind');
    },
  );

  it('sends a statement before an earlier one has ended, if the time suffices for both', async () => {
    const [one, two] = ['one', 'two'].map((name) => `INSERT INTO accounts (name) VALUES ('${name}')`);
    const sent = await transactionBefore(
      dataSource,
      { deadline: performance.now() + 60_000 },
      async (transaction) => {
        limitStatements(transaction, 500, 100);
        let isFirstEnded = false;
        let wasFirstEnded: boolean | undefined;
        await runTogether(transaction, [
          async () => {
            await transaction.query(one!);
            isFirstEnded = true;
          },
          async () => {
            wasFirstEnded = isFirstEnded;
            await transaction.query(two!);
          },
        ]);
        return wasFirstEnded;
      },
    );
    expect(sent).toBe(false);
    expect(await names()).toEqual(expect.arrayContaining(['one', 'two']));
  });
});

describe('the statements of the service', () => {
  it('are valid', async () => {
    const database = await createTestDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const problems: string[] = [];
    for (const [name, text] of STATEMENTS) {
      await client
        .query(`PREPARE "${name}" AS ${text}`)
        .catch(({ message }: Error) => problems.push(`${name}: ${message}`));
    }
    await client.end();
    await database.drop();
    expect(STATEMENTS.size).toBeGreaterThan(200);
    expect(problems).toEqual([]);
  });
});
