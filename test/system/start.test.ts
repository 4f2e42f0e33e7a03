import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { readEnv } from '../../src/config/read-env.js';
import { describeDemo } from '../../src/instance/demo.js';
import { runCommand } from '../support/command-line.js';
import { ask, DataFolder, type RunningService } from '../support/data-folder.js';
import { refusalToStart } from '../support/refusal-to-start.js';
import { startTestApp } from '../support/test-app.js';

const shell = (script: string) => promisify(execFile)('sh', ['-c', script]);

describe('the service on its own PostgreSQL', () => {
  let folder: DataFolder;
  let service: RunningService;
  let firstKey: string;
  beforeAll(async () => {
    folder = await DataFolder.create();
    service = await folder.start({});
    firstKey = service.key;
  });
  afterAll(() => folder.remove());

  /** What another start of the service would print, found out in this process. */
  async function describeAgain(): Promise<string> {
    const { app, close } = await startTestApp(folder.databaseUrl);
    try {
      return await describeDemo(app, readEnv({ DATA_DIR: folder.dataDir }));
    } finally {
      await close();
    }
  }

  it('sends Swagger UI a plugin that needs nothing of the bundle', async () => {
    const script = await (await fetch(`${service.url}/docs/swagger-ui-init.js`)).text();
    expect(script).toContain('Filter by path, name, or text');
    expect(script).not.toContain('__name');
  });

  it('prints its URL, a key, and a curl command that works as printed', async () => {
    const { stdout } = service.process;
    expect(stdout).toContain(`Swagger UI: ${service.url}/docs\n`);
    expect(stdout).toMatch(/^Account: +demo$/m);
    expect((await fetch(`${service.url}/docs`)).status).toBe(200);
    const [curl] = /^curl [^]+?'\n/m.exec(stdout)!;
    const answer = await shell(`${curl.trim()} --silent --write-out '\\n%{http_code}'`);
    const [body, status] = answer.stdout.split('\n');
    expect(status).toBe('201');
    expect(JSON.parse(body!).data).toHaveLength(2);
  });

  it('prints a link that opens the console', async () => {
    const [, link] = /^Console: +(http\S+)$/m.exec(service.process.stdout)!;
    const answer = await fetch(link!, {
      method: 'POST',
      headers: { Origin: service.url },
      redirect: 'manual',
    });
    const [cookie] = answer.headers.getSetCookie()[0]!.split(';');
    const console = await fetch(`${service.url}/console`, { headers: { Cookie: cookie! } });
    expect({ status: console.status, page: await console.text() }).toEqual({
      status: 200,
      page: expect.stringContaining('demo@example.com'),
    });
  });

  it('refuses a port that is taken, in one line, before it starts PostgreSQL', async () => {
    const other = await DataFolder.create();
    const port = new URL(service.url).port;
    try {
      for (const [setting, workers] of [
        ['PORT', '1'],
        ['PORT', '2'],
        ['METRICS_PORT', '1'],
      ]) {
        expect(await other.spawn({ [setting!]: port, WORKERS: workers! }).ended).toEqual({
          code: 1,
          stdout: '',
          problems: [`The port ${port} of 127.0.0.1 is in use. Set ${setting} to a free port.`],
        });
      }
      expect(existsSync(other.dataDir)).toBe(false);
    } finally {
      await other.remove();
    }
  });

  it.each([
    ['is a file', '.env', /^The folder .* cannot be used for data \(ENOTDIR.*\)\. Set DATA_DIR to a folder/],
    [
      'cannot be made',
      '/proc/nowhere/data',
      /^The folder \/proc\/nowhere\/data cannot be used for data \(E.*\)\. Set DATA_DIR to/,
    ],
    ['has a name that PostgreSQL cannot use', 'a "new" $folder', /^PostgreSQL cannot run in .*Move/],
  ])('says in one line that a DATA_DIR %s', async (_problem, name, line) => {
    await writeFile(join(folder.path, '.env'), '');
    expect(await refusalToStart({ DATA_DIR: resolve(folder.path, name) })).toEqual({
      code: 1,
      problems: [expect.stringMatching(line)],
    });
  });

  it('refuses a second service on its folder, in one line, and keeps serving', async () => {
    const { code, problems } = await folder.spawn().ended;
    expect({ code, problems }).toEqual({
      code: 1,
      problems: [
        `Another service is running on ${folder.dataDir}. Stop it, or set DATA_DIR to another folder.`,
      ],
    });
    expect((await service.ask('/suppressions/ada%40example.com')).status).toBe(200);
  });

  it('prints no key of a suspended account, and the same key once it is admitted again', async () => {
    await folder.query('UPDATE accounts SET beta_admitted_at = NULL');
    const printed = await describeAgain();
    expect(printed).toMatch(/^npm run cli -- account admit demo$/m);
    expect(printed).toContain('The account demo is suspended');
    expect(printed).not.toMatch(/curl|sup_/);
    const settings = { DATA_DIR: folder.dataDir };
    expect(await runCommand(['account', 'admit', 'demo'], settings, folder.path)).toMatchObject({ code: 0 });
    expect(await describeAgain()).toContain(firstKey);
  });

  it('prints the same key after a restart, and has its data', async () => {
    service.process.kill('SIGTERM');
    expect(await service.process.ended).toMatchObject({ code: 0, problems: [] });
    expect(folder.postgresPid()).toBeUndefined();
    service = await folder.start();
    expect(service.key).toBe(firstKey);
    expect((await service.ask('/suppressions/ada%40example.com')).status).toBe(200);
  });

  it('makes a new key if the saved one is revoked', async () => {
    expect(await folder.query('UPDATE api_keys SET revoked_at = now() RETURNING id')).toHaveLength(1);
    const [, key] = /^API key: +(.+)$/m.exec(await describeAgain())!;
    expect(key).not.toBe(firstKey);
    expect((await ask(`${service.url}/suppressions/ada%40example.com`, key!)).status).toBe(200);
  });

  it('reads a file .env with a byte order mark, and gives precedence to environment variables', async () => {
    const elsewhere = await DataFolder.create();
    try {
      await writeFile(
        join(elsewhere.path, '.env'),
        '\uFEFFLOG_LEVEL=loud\nRATE_LIMIT=none\nDATABSE_URL=x\nPORT=1\n',
      );
      const { code, problems } = await elsewhere.spawn({ RATE_LIMIT: '5' }).ended;
      expect(code).toBe(2);
      expect(problems).toEqual([
        'Invalid settings:',
        '  DATABSE_URL: is unknown. Did you mean DATABASE_URL?',
        expect.stringMatching(/^ {2}LOG_LEVEL: must be one of/),
      ]);
      await writeFile(join(elsewhere.path, '.env'), '\uFEFFPORT=1\n', 'utf16le');
      expect(await elsewhere.spawn().ended).toMatchObject({
        code: 2,
        problems: [expect.stringMatching(/^The file \.env cannot be read as UTF-8/)],
      });
    } finally {
      await elsewhere.remove();
    }
  });
});
