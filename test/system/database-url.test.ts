import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '../support/child-process.js';
import { runCommand } from '../support/command-line.js';
import { startProxy } from '../support/servers/proxy.js';
import { refusalToStart } from '../support/refusal-to-start.js';
import { createTestDatabase, type TestDatabase } from '../support/test-database.js';

/** Ten calls of `migrate` at once are in test/database/migrations.test.ts. */
const REPLICAS = 3;

describe('the service on a server elsewhere', () => {
  let folder: string;
  let database: TestDatabase;
  const services: Child[] = [];
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'suppression-list-url-'))));
  beforeEach(async () => (database = await createTestDatabase({ migrated: false })));
  afterEach(async () => {
    for (const service of services.splice(0)) {
      service.kill('SIGKILL');
      await service.ended;
    }
    await database.drop();
  });
  afterAll(() => rm(folder, { recursive: true }));

  const spawn = (settings: Record<string, string> = {}): Child => {
    const service = Child.service({ DATABASE_URL: database.url, ...settings }, folder);
    services.push(service);
    return service;
  };

  const refusalOf = (settings: Record<string, string> = {}) =>
    refusalToStart({ DATABASE_URL: database.url, ...settings });

  it('migrates once when several instances start together, and all serve', async () => {
    const replicas = Array.from({ length: REPLICAS }, () => spawn({ DATABASE_POOL_SIZE: '2' }));
    expect(await Promise.all(replicas.map(readiness))).toEqual(replicas.map(() => 200));
    const migrators = replicas.filter(({ stdout }) => stdout.includes('created the tables'));
    expect(migrators).toHaveLength(1);
    const names = await database.query('SELECT name, count(*) FROM migrations GROUP BY name');
    expect(names).toEqual(names.map(({ name }) => ({ name, count: '1' })));
  });

  it('with MIGRATE_ON_START=false, is not ready until a command has migrated, whichever host accepts writes', async () => {
    const service = spawn({ MIGRATE_ON_START: 'false' });
    expect(await readiness(service)).toBe(503);
    expect(service.stdout).toMatch(
      /the database lacks migrations of this version \(\d+\), .* Run: npm run migrate/,
    );
    const { host } = new URL(database.url);
    const DATABASE_URL = database.url.replace(`@${host}`, `@${host},${host}`);
    const plan = await runCommand(['migrate', '--plan'], { DATABASE_URL }, folder);
    expect(plan).toMatchObject({ code: 0, problems: [] });
    const migrate = await runCommand(['migrate'], { DATABASE_URL }, folder);
    expect(migrate).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Migrated: Create.+\n$/),
      problems: [],
    });
    expect(await readiness(service)).toBe(200);
    service.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, problems: [] });
  });

  it('refuses Citus without the setting that permits it, and changes nothing', async () => {
    await database.query(`UPDATE pg_extension SET extname = 'citus' WHERE extname = 'plpgsql'`);
    const { code, problems } = await refusalOf();
    expect([code, problems]).toEqual([
      1,
      [expect.stringMatching(/has the extension citus.*set CITUS_EXPERIMENTAL=true/)],
    ]);
    expect(await database.query(`SELECT FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
  });

  it('refuses a version of Citus that was not tested', async () => {
    await database.query(`UPDATE pg_extension SET extname = 'citus' WHERE extname = 'plpgsql'`);
    const { code, problems } = await refusalOf({ CITUS_EXPERIMENTAL: 'true' });
    expect([code, problems]).toEqual([
      1,
      [expect.stringMatching(/lacks version 13\.2 of citus, the tested one \(it has 1\.0\)/)],
    ]);
  });

  it('says in one line what is wrong with DATABASE_URL', async () => {
    const wrongPassword = new URL(database.url);
    wrongPassword.password = 'wrong';
    const wrongName = new URL(database.url);
    wrongName.pathname = '/nowhere';
    const ends = [
      [wrongPassword.href, await spawn({ DATABASE_URL: wrongPassword.href }).ended],
      [wrongName.href, await refusalOf({ DATABASE_URL: wrongName.href })],
    ] as const;
    for (const [url, { code, problems }] of ends) {
      expect({ code, problems }).toEqual({
        code: 1,
        problems: [expect.stringMatching(/^The database at DATABASE_URL cannot be used: ./)],
      });
      expect(problems[0]).not.toContain(url);
    }
  });

  it('says that DATABASE_URL has no password, and does not wait until the server closes the connection', async () => {
    const { hostname, port } = new URL(database.url);
    const relay = createServer((command) => {
      const server = connect(Number(port), hostname);
      command.pipe(server);
      server.on('data', (challenge) => command.writable && command.write(challenge));
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    const url = new URL(database.url);
    url.password = '';
    url.port = String((relay.address() as AddressInfo).port);
    const command = Child.cli(['account', 'list'], { DATABASE_URL: url.href }, folder);
    expect(await command.ended).toMatchObject({
      code: 1,
      problems: [
        expect.stringMatching(/cannot be used: the server requires a password, and the URL has none$/),
      ],
    });
    relay.close();
  });

  it('refuses a pooler that loses prepared statements', async () => {
    await leaveStatementsBehind(database);
    const refusal = {
      code: 1,
      problems: [
        expect.stringMatching(/^The pooler at DATABASE_URL loses prepared statements\. Use PgBouncer/),
      ],
    };
    expect(await refusalOf()).toMatchObject(refusal);
    expect(await runCommand(['account', 'list'], { DATABASE_URL: database.url }, folder)).toMatchObject(
      refusal,
    );
  });

  it.each([
    [
      'does not accept the options of a session',
      undefined,
      /refuses the startup parameter "options"\. In PgBouncer, set/,
    ],
    [
      'has no free connection',
      'no more connections allowed (max_client_conn)',
      /^The database failed or was too slow: no more connections allowed \(max_client_conn\)\. Try again\.$/,
    ],
  ])('refuses a pooler that %s', async (_what, because, problem) => {
    const pooler = await startProxy(database.url, { refuses: 'options', because });
    try {
      expect(await refusalOf({ DATABASE_URL: pooler.url })).toMatchObject({
        code: 1,
        problems: [expect.stringMatching(problem)],
      });
    } finally {
      await pooler.close();
    }
  });

  it('says in one line that the user of DATABASE_URL lacks a privilege', async () => {
    const role = `weak_${randomUUID().slice(0, 8)}`;
    await database.query(`CREATE ROLE ${role} LOGIN PASSWORD 'weak'`);
    const url = new URL(database.url);
    url.username = role;
    url.password = 'weak';
    const { code, problems } = await refusalOf({ DATABASE_URL: url.href });
    await database.query(`DROP ROLE ${role}`);
    expect({ code, problems }).toEqual({
      code: 1,
      problems: [expect.stringMatching(/^The user in DATABASE_URL lacks a privilege .*permission denied/)],
    });
  });

  it('says in one line that the search path leads to no schema', async () => {
    const { name } = database;
    await database.query(`ALTER DATABASE ${name} SET search_path = nowhere`);
    expect(await refusalOf()).toEqual({
      code: 1,
      problems: [expect.stringMatching(/^The search_path of the user in DATABASE_URL names no schema/)],
    });
  });

  it('says in one line that the database is read-only, and what may be the reason', async () => {
    const name = new URL(database.url).pathname.slice(1);
    await database.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const { code, problems } = await refusalOf();
    expect({ code, problems }).toEqual({
      code: 1,
      problems: [expect.stringMatching(/is read-only: .* or default_transaction_read_only is on\./)],
    });
  });

  it('waits for a server that does not respond yet, until it is stopped', async () => {
    const service = spawn({ DATABASE_URL: 'postgresql://user@127.0.0.1:1/list' });
    await service.says(/waiting for the database: .*ECONNREFUSED/);
    service.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, problems: [] });
  });

  it('reports a frozen server, which accepts connections but does not respond', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const service = spawn({ DATABASE_URL: `postgresql://user@127.0.0.1:${port}/list` });
    await service.says(/waiting for the database: the server does not answer\. Check that it runs/);
    service.kill('SIGKILL');
    silent.close();
  });
});

/** As after another client of a pooler in transaction mode: a new session meets its prepared statements. */
async function leaveStatementsBehind(database: TestDatabase): Promise<void> {
  await database.query(`
    CREATE FUNCTION leave_statements_behind() RETURNS event_trigger LANGUAGE plpgsql
    AS $$ BEGIN EXECUTE 'PREPARE "suppression-list-probe" AS SELECT 1'; END $$
  `);
  await database.query('CREATE EVENT TRIGGER pooler ON login EXECUTE FUNCTION leave_statements_behind()');
  await database.query('ALTER EVENT TRIGGER pooler ENABLE ALWAYS');
}

async function readiness(service: Child): Promise<number> {
  const [, url] = await service.says(/"msg":"listening on (\S+)"/);
  return (await fetch(`${url}/readyz`)).status;
}
