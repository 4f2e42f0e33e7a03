import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '../support/child-process.js';
import { ask } from '../support/data-folder.js';
import { keepsStatements, PgBouncer } from '../support/servers/pgbouncer.js';
import { has } from '../support/programs.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const ROUNDS = 10;
const CALLERS = 10;

/** As docs/operations.md gives them to the role. */
const SETTINGS = [
  "statement_timeout = '4s'",
  "default_transaction_isolation = 'read committed'",
  'enable_seqscan = off',
  'plan_cache_mode = force_generic_plan',
  'enable_bitmapscan = off',
  'jit = off',
  "DateStyle = 'ISO'",
];

const hasPgBouncer = has('pgbouncer', ['--version'], 'pgbouncer');
const isNew = hasPgBouncer && keepsStatements();

(hasPgBouncer ? describe : describe.skip)('behind PgBouncer in transaction mode, the service', () => {
  let folder: string;
  let database: TestDatabase;
  let pooler: PgBouncer;
  let service: Child;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-pgbouncer-'));
    database = await createTestDatabase();
    const name = new URL(database.url).pathname.slice(1);
    for (const setting of SETTINGS) {
      await database.query(`ALTER DATABASE ${name} SET ${setting}`);
    }
    pooler = await PgBouncer.start(database.url, folder);
    service = Child.service({ DATABASE_URL: pooler.url }, folder);
  });
  afterAll(async () => {
    service?.kill('SIGKILL');
    await service?.ended;
    await pooler?.stop();
    await database?.drop();
    await rm(folder, { recursive: true });
  });

  if (!isNew) {
    it('does not start with a version before 1.21, and says what to do', async () => {
      expect(await service.ended).toMatchObject({
        code: 1,
        problems: [
          expect.stringMatching(
            /^The pooler at DATABASE_URL loses prepared statements\. Use PgBouncer 1\.21/,
          ),
        ],
      });
    });
    return;
  }

  it('answers many callers, runs jobs, and loses nothing in the feed', async () => {
    const [, url] = await service.says(/"msg":"listening on (\S+)"/);
    const cli = (...args: string[]) => Child.cli(args, { DATABASE_URL: pooler.url }, folder).ended;
    await cli('account', 'create', 'acme', '--beta');
    const { stdout } = await cli('key', 'create', '--account', 'acme', '--name', 'caller');
    const [key] = /sup_\w+/.exec(stdout)!;
    const call = async (status: number, path: string, body?: unknown) => {
      const response = await ask(`${url}${path}`, key, body);
      expect([path, response.status]).toEqual([path, status]);
      return response;
    };
    await Promise.all(
      Array.from({ length: CALLERS }, async (_, caller) => {
        for (let round = 0; round < ROUNDS; round++) {
          const email = `person${round}@caller${caller}.example.com`;
          await call(201, '/suppressions', { email });
          await call(200, '/events', { type: 'complaint', email });
          await call(200, '/suppressions/check', { emails: [email] });
          await call(200, `/suppressions/${email}/history`);
          await call(200, '/suppressions?limit=10');
          await call(200, '/suppressions/count');
          await call(200, '/changes?limit=10');
        }
      }),
    );
    const upload = await fetch(`${url}/imports`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'text/csv' },
      body: 'email\nimported@example.com\n',
    });
    const { id } = await upload.json();
    await until(async () => (await (await call(200, `/imports/${id}`)).json()).status === 'completed');
    const { data } = await (await call(200, '/changes?limit=1000')).json();
    expect(data).toHaveLength(2 * CALLERS * ROUNDS + 1);
    const exported = await (await call(200, '/exports?format=csv')).text();
    expect(exported.match(/@/g)).toHaveLength(CALLERS * ROUNDS + 1);
    service.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, problems: [] });
  });
});

(hasPgBouncer ? describe : describe.skip)('behind PgBouncer in session mode, the service', () => {
  let folder: string;
  let database: TestDatabase;
  let pooler: PgBouncer;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-pgbouncer-'));
    database = await createTestDatabase();
    pooler = await PgBouncer.start(database.url, folder, 'session');
  });
  afterAll(async () => {
    await pooler?.stop();
    await database?.drop();
    await rm(folder, { recursive: true });
  });

  it('warns if the role does not have the settings that the pooler drops', async () => {
    const service = Child.service({ DATABASE_URL: pooler.url }, folder);
    await service.says(/the pooler at DATABASE_URL drops settings .*"plan_cache_mode"/);
    await service.says(/"msg":"listening on /);
    service.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0 });
  });
});
