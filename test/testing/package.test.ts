import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const JEST = resolve('node_modules/jest/bin/jest.js');

const GLOBAL_SETUP = `
  import { startSuppressionList } from 'suppression-list-testing';
  export default async () => {
    globalThis.suppressionList = await startSuppressionList({ DATABASE_URL: process.env.DATABASE_URL });
    Object.assign(process.env, globalThis.suppressionList.env);
  };
`;
const GLOBAL_TEARDOWN = `export default () => globalThis.suppressionList.stop();`;
const TEST = `
  const { createApiKey } = require('suppression-list-testing/client');
  const { SUPPRESSION_LIST_URL, SUPPRESSION_LIST_API_KEY } = process.env;
  const get = (apiKey) =>
    fetch(SUPPRESSION_LIST_URL + '/suppressions', { headers: { Authorization: 'Bearer ' + apiKey } });
  const add = (apiKey) =>
    fetch(SUPPRESSION_LIST_URL + '/suppressions', {
      method: 'POST',
      headers: { Authorization: 'Bearer ' + apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.com' }),
    });

  test('the service runs, and another account has a list of its own', async () => {
    expect((await add(SUPPRESSION_LIST_API_KEY)).status).toBe(201);
    const reader = await createApiKey('another', ['suppressions:read']);
    expect((await (await get(reader)).json()).data).toEqual([]);
    expect((await add(reader)).status).toBe(401);
  });

  test('a wrong name is an error', async () => {
    await expect(createApiKey('Not a name')).rejects.toThrow(/name of an account/);
  });
`;

describe('the package for the tests of other projects', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-package-'));
    const installed = join(folder, 'node_modules', 'suppression-list-testing');
    await mkdir(installed, { recursive: true });
    await run(process.execPath, ['packaging/testing/pack.js', folder]);
    await run('tar', [
      '-xzf',
      join(folder, 'suppression-list-testing-0.1.0.tgz'),
      '--strip=1',
      '-C',
      installed,
    ]);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('starts the service for the CommonJS test files of Jest, and needs no other package', async () => {
    await writeFile(join(folder, 'setup.mjs'), GLOBAL_SETUP);
    await writeFile(join(folder, 'teardown.mjs'), GLOBAL_TEARDOWN);
    await writeFile(join(folder, 'service.test.js'), TEST);
    const config = { rootDir: folder, globalSetup: './setup.mjs', globalTeardown: './teardown.mjs' };
    const { stderr } = await run(process.execPath, [JEST, '--config', JSON.stringify(config)], {
      cwd: folder,
      env: { PATH: process.env.PATH, DATABASE_URL: process.env.TEST_DATABASE_URL },
    });
    expect(stderr).toMatch(/^Tests: +2 passed, 2 total$/m);
  });
});
