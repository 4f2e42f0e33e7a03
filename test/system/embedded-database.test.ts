import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { failureIn } from '../../src/database/embedded/postgres-programs.js';
import { runCommand } from '../support/command-line.js';
import { DataFolder } from '../support/data-folder.js';
import { deliveryStatus } from '../support/raw-mail.js';
import { until } from '../support/until.js';

let folder: DataFolder;
beforeAll(async () => (folder = await DataFolder.create()));
afterAll(() => folder.remove());

describe('the command line on the embedded database', () => {
  const cli = (...command: string[]) => runCommand(command, { DATA_DIR: folder.dataDir }, folder.path);

  it('does not create a database', async () => {
    for (const command of [['account', 'list'], ['migrate']]) {
      expect(await cli(...command)).toEqual({
        code: 2,
        stdout: '',
        problems: [expect.stringContaining(`There is no database in ${folder.dataDir}. Set DATABASE_URL`)],
      });
    }
    expect(existsSync(folder.dataDir)).toBe(false);
  });

  it('works on the database of a stopped service, alongside itself, and leaves nothing running', async () => {
    const service = await folder.start();
    service.process.kill('SIGTERM');
    await service.process.ended;
    const names = ['ada', 'bob'];
    const created = await Promise.all(names.map((name) => folder.cli('account', 'create', name, '--json')));
    expect(created).toEqual(names.map(() => expect.objectContaining({ code: 0, problems: [] })));
    expect(created.map(({ stdout }) => JSON.parse(stdout).name)).toEqual(names);
    expect(folder.postgresPid()).toBeUndefined();
  });

  it('ingests raw mail, with its own key for secrets', async () => {
    const make = '--account ada --provider mail --unproven allow --json'.split(' ');
    const { id } = JSON.parse((await cli('source', 'create', ...make)).stdout);
    const failed = ['Final-Recipient: rfc822; gone@example.com', 'Action: failed', 'Status: 5.1.1'];
    await writeFile(join(folder.path, 'bounce.eml'), deliveryStatus(failed));
    const { code, stdout, problems } = await cli('mail', 'ingest', '--source', id, 'bounce.eml');
    expect([code, problems]).toEqual([0, []]);
    expect(JSON.parse(stdout)).toMatchObject({
      events: [{ recipient: 'gone@example.com', outcome: 'added' }],
    });
    expect(folder.postgresPid()).toBeUndefined();
  });

  it('works while a service starts, serves and has stopped, and never stops its PostgreSQL', async () => {
    const [service, created] = await Promise.all([folder.start(), cli('key', 'create', '--account', 'ada')]);
    expect(created).toMatchObject({
      code: 0,
      problems: expect.arrayContaining([expect.stringContaining('account admit ada')]),
    });
    const pid = folder.postgresPid();
    expect(pid).toBeDefined();
    expect(await cli('account', 'admit', 'ada')).toMatchObject({ code: 0 });
    expect(folder.postgresPid()).toBe(pid);
    const answer = await fetch(`${service.url}/suppressions/nobody%40example.com`, {
      headers: { Authorization: `Bearer ${created.stdout.trim()}` },
    });
    expect(answer.status).toBe(404);
    service.process.kill('SIGTERM');
    expect(await service.process.ended).toMatchObject({ code: 0, problems: [] });
    expect(await cli('key', 'list', '--account', 'ada', '--json')).toMatchObject({ code: 0 });
    expect(folder.postgresPid()).toBeUndefined();
  });
});

/** It stays crashed until a test lets it recover. */
describe('an embedded database that crashed', () => {
  const recovered = () => join(folder.path, 'recovered');

  /** Makes the recovery wait for a file. */
  beforeAll(async () => {
    const service = await folder.start();
    const pid = folder.postgresPid()!;
    service.process.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    await service.process.ended;
    await until(() => folder.postgresPid() === undefined);
    const wait = `until [ -e "${recovered()}" ]; do sleep 0.1; done; false`;
    const cluster = join(folder.dataDir, 'postgres');
    await appendFile(join(cluster, 'postgresql.conf'), `restore_command = '${wait}'\nhot_standby = off\n`);
    await writeFile(join(cluster, 'recovery.signal'), '');
  });

  it('is stopped with the process that waits for its recovery', async () => {
    const stopping = new AbortController();
    const opened = EmbeddedPostgres.open(folder.dataDir, { role: 'client', stopping: stopping.signal });
    const rejected = expect(opened).rejects.toThrow('aborted');
    await until(() => folder.postgresPid() !== undefined);
    stopping.abort();
    await rejected;
    expect(folder.postgresPid()).toBeUndefined();
  });

  it('is stopped if it does not recover in time', async () => {
    const opened = EmbeddedPostgres.open(folder.dataDir, { role: 'client', recoveryTimeoutMs: 1_000 });
    await expect(opened).rejects.toThrow(
      `The PostgreSQL in ${folder.dataDir} did not start in time (log: ${folder.dataDir}/postgres/server.log).`,
    );
    expect(folder.postgresPid()).toBeUndefined();
  });

  it('may take longer to recover than to start, for the process that starts it and for others', async () => {
    const starting = folder.start();
    await until(() => folder.postgresPid() !== undefined);
    const [service, listed] = await Promise.all([
      starting,
      folder.cli('account', 'list'),
      delay(25_000).then(() => writeFile(recovered(), '')),
    ]);
    expect(listed).toMatchObject({ code: 0, problems: [] });
    expect((await service.ask('/suppressions')).status).toBe(200);
    service.process.kill('SIGTERM');
    expect(await service.process.ended).toMatchObject({ code: 0 });
  });
});

it('the embedded database is stopped if its database cannot be created', async () => {
  const other = await DataFolder.create();
  const open = () => EmbeddedPostgres.open(other.dataDir, { role: 'service' });
  const created = await open();
  const client = new Client({ connectionString: created.url.replace(/[^/]+$/, 'postgres') });
  await client.connect();
  await client.query('DROP DATABASE suppression_list');
  await client.query('ALTER DATABASE template1 IS_TEMPLATE false');
  await client.query('DROP DATABASE template1');
  await client.end();
  await created.close();
  await expect(open()).rejects.toThrow('The database cannot be created: template database "template1"');
  expect(other.postgresPid()).toBeUndefined();
  await other.remove();
});

it('a service deletes what first starts left that were killed', async () => {
  const other = await DataFolder.create();
  const draft = join(other.dataDir, 'postgres-draft-aB3dE6');
  await mkdir(join(draft, 'base'), { recursive: true });
  await writeFile(`${draft}.password`, 'secret');
  const created = await EmbeddedPostgres.open(other.dataDir, { role: 'service' });
  await created.close();
  expect(await readdir(other.dataDir)).toEqual(['postgres']);
  await other.remove();
});

it.each([
  'FATAL:  could not extend file "base/1/2691": wrote only 4096 of 8192 bytes at block 10',
  'FATAL:  could not write to file "base/4/1249": No space left on device',
])('the embedded database says what to do if its disk is full: %s', (failure) => {
  expect(
    failureIn(`running bootstrap script ... ${failure}\nchild process exited with exit code 1\n`),
  ).toMatch(
    /^the disk is full\. Free space on it, or set DATA_DIR to a folder on another disk \(.*FATAL: .*\)$/,
  );
});
