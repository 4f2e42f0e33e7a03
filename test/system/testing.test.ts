import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import request from 'supertest';
import { startSuppressionList, type TestService } from '../../src/testing.js';
import { Child } from '../support/child-process.js';
import { isAlive } from '../support/data-folder.js';
import { until } from '../support/until.js';

const PID_FILE = 'postgres/postmaster.pid';

describe('the service for the tests of other projects', () => {
  let service: TestService;
  beforeAll(async () => (service = await startSuppressionList()));
  afterAll(() => service.stop());

  it('runs, and has an API key', async () => {
    const authorization = { Authorization: `Bearer ${service.apiKey}` };
    await request(service.url)
      .post('/suppressions')
      .set(authorization)
      .send({ email: 'ada@example.com' })
      .expect(201);
    await request(service.url).get('/suppressions/ada@example.com').set(authorization).expect(200);
  });

  it('gives every account its own list', async () => {
    const apiKey = await service.createApiKey('another', ['suppressions:read']);
    const another = request.agent(service.url).set('Authorization', `Bearer ${apiKey}`);
    await another.get('/suppressions/ada@example.com').expect(404);
    await another.post('/suppressions').send({ email: 'ada@example.com' }).expect(401);
  });

  it('creates no key with an unknown scope', async () => {
    await expect(service.createApiKey('careful', ['suppressions:read', 'nope'])).rejects.toThrow(
      /^Unknown scopes: nope\. The scopes are suppressions:read, /,
    );
  });

  it('creates no key without a scope, or without an account', async () => {
    await expect(service.createApiKey('careful', [])).rejects.toThrow('createApiKey needs a scope.');
    await expect(service.createApiKey(undefined as never)).rejects.toThrow(
      'createApiKey needs the name of an account.',
    );
  });

  it('refuses a misspelled setting', () =>
    expect(startSuppressionList({ RATELIMIT: '100' })).rejects.toThrow(
      'RATELIMIT: is unknown. Did you mean RATE_LIMIT?',
    ));

  it('creates keys of one account for test files that need it at the same time', async () => {
    const keys = await Promise.all(Array.from({ length: 4 }, () => service.createApiKey('shared')));
    const [first, second] = keys.map((key) =>
      request.agent(service.url).set('Authorization', `Bearer ${key}`),
    );
    await first!.post('/suppressions').send({ email: 'ada@example.com' }).expect(201);
    await second!.get('/suppressions/ada@example.com').expect(200);
  });

  it('uses a temporary database on a server, and drops it', async () => {
    const databases = async () => {
      const client = new Client({ connectionString: process.env.TEST_DATABASE_URL });
      await client.connect();
      const { rows } = await client.query<{ datname: string }>(
        `SELECT datname FROM pg_database WHERE datname LIKE 'suppression\\_list\\_%'`,
      );
      await client.end();
      return rows.map(({ datname }) => datname);
    };
    const before = await databases();
    const own = await startSuppressionList({ DATABASE_URL: process.env.TEST_DATABASE_URL! });
    // Other test files may have created some as well, and drop them, too.
    const created = (await databases()).filter((name) => !before.includes(name));
    expect(created).not.toEqual([]);
    await request(own.url).get('/readyz').expect(200);
    await own.stop();
    await until(async () => {
      const left = await databases();
      return created.every((name) => !left.includes(name));
    });
  });

  const NODE_WAITS_MS = 60_000;
  it(
    'stops while a connection is open that never sent a request',
    async () => {
      const own = await startSuppressionList({ DATABASE_URL: process.env.TEST_DATABASE_URL! });
      const socket = connect(Number(new URL(own.url).port), '127.0.0.1');
      await once(socket, 'connect');
      await own.stop();
      socket.destroy();
    },
    NODE_WAITS_MS / 2,
  );

  it.each([
    ['creates its files', (folder: string) => readdirSync(folder).length > 0],
    ['starts', (folder: string) => existsSync(join(folder, PID_FILE))],
  ])('leaves nothing behind when it is killed while PostgreSQL %s', async (_step, isReached) => {
    const parent = await mkdtemp(join(tmpdir(), 'suppression-list-killed-'));
    const testing = pathToFileURL('dist/src/testing.js').href;
    const script = `import { startSuppressionList } from '${testing}'; await startSuppressionList();`;
    const child = Child.node(['--input-type=module', '--eval', script], { TMPDIR: parent }, parent);
    const folders = () => readdirSync(parent).map((name) => join(parent, name));
    await until(() => folders().some(isReached));
    const pid = parseInt(await readFile(join(folders()[0]!, PID_FILE), 'utf8').catch(() => ''), 10);
    child.kill('SIGKILL');
    await until(() => folders().length === 0 && !(pid && isAlive(pid)));
    await rm(parent, { recursive: true });
  });

  it('leaves neither a PostgreSQL nor its folder behind when it cannot start', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'suppression-list-failing-'));
    const { port } = new URL(service.url);
    const testing = pathToFileURL('dist/src/testing.js').href;
    const script = `
      import { readdirSync } from 'node:fs';
      import { startSuppressionList } from '${testing}';
      for (const settings of [{ PORT: '${port}' }, { PORT: 'any' }]) {
        const { name, code = name } = await startSuppressionList(settings).catch((error) => error);
        console.log(code, readdirSync('.').length);
      }
      process.exit();
    `;
    const child = Child.node(['--input-type=module', '--eval', script], { TMPDIR: folder }, folder);
    try {
      expect(await child.ended).toEqual({
        code: 0,
        stdout: 'EADDRINUSE 0\nInvalidEnvError 0\n',
        problems: [],
      });
    } finally {
      child.kill('SIGKILL');
      await rm(folder, { recursive: true });
    }
  });
});
