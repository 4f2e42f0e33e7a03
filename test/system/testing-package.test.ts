import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createWorld, suppress, type World } from '../support/world.js';

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
  const { SUPPRESSIONS_URL, SUPPRESSIONS_API_KEY } = process.env;
  const get = (apiKey, query = '') =>
    fetch(SUPPRESSIONS_URL + '/suppressions' + query, { headers: { Authorization: 'Bearer ' + apiKey } });
  const add = (apiKey) =>
    fetch(SUPPRESSIONS_URL + '/suppressions', {
      method: 'POST',
      headers: { Authorization: 'Bearer ' + apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.com' }),
    });

  test('the service runs, and another account has its own list', async () => {
    expect((await add(SUPPRESSIONS_API_KEY)).status).toBe(201);
    expect((await (await get(SUPPRESSIONS_API_KEY, '?domain=other.example')).json()).data).toEqual([]);
    expect((await (await get(SUPPRESSIONS_API_KEY, '?domain=example.com')).json()).data).toHaveLength(1);
    const reader = await createApiKey('another', ['suppressions:read']);
    expect((await (await get(reader)).json()).data).toEqual([]);
    expect((await add(reader)).status).toBe(401);
  });

  test('a wrong name and a wrong scope are errors', async () => {
    await expect(createApiKey('Not a name')).rejects.toThrow(/name of an account/);
    await expect(createApiKey('another', ['nope'])).rejects.toThrow('Unknown scopes: nope.');
  });
`;

const TYPED_TEST = `
  import { startSuppressionList, type TestService } from 'suppression-list-testing';
  import { createApiKey } from 'suppression-list-testing/client';
  const { DATABASE_URL } = process.env;
  export const service: Promise<TestService> = startSuppressionList({ RATE_LIMIT: 100, DATABASE_URL });
  export const apiKey: Promise<string> = createApiKey('acme', ['suppressions:read']);
  // @ts-expect-error An account has a name.
  void createApiKey();
`;

const TYPED_PROGRAM = `
  import { openReplica, type CheckedEmail, type Replica } from 'suppression-list-replica';
  export async function main(url: string, apiKey: string, path: string): Promise<(string | undefined)[]> {
    const replica: Replica = await openReplica({ url, apiKey, path, maxAge: 300 });
    const checked: CheckedEmail[] = replica.check(['ada@example.com'], { topic: 'news' });
    // @ts-expect-error Addresses are an array.
    replica.check('ada@example.com');
    return checked.map(({ decided_by }) => decided_by?.cause);
  }
`;

/** Compiles a program as an ES module and as CommonJS, and checks all types of the package. */
async function compile(program: string, folder: string): Promise<void> {
  await writeFile(join(folder, 'program.mts'), program);
  await writeFile(join(folder, 'program.cts'), program);
  const types = ['--types', 'node', '--typeRoots', resolve('node_modules/@types')];
  const options = ['--noEmit', '--strict', '--module', 'node16', '--target', 'es2022', ...types];
  const compiler = resolve('node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [compiler, ...options, 'program.mts', 'program.cts'], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
}

/** Makes a package and installs it in a folder, without the packages that it needs. */
async function install(name: 'testing' | 'replica', folder: string): Promise<void> {
  const installed = join(folder, 'node_modules', `suppression-list-${name}`);
  await mkdir(installed, { recursive: true });
  await run(process.execPath, [`packaging/${name}/pack.js`, folder]);
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  const archive = join(folder, `suppression-list-${name}-${version}.tgz`);
  await run('tar', ['-xzf', archive, '--strip=1', '-C', installed]);
}

describe('the package for the tests of other projects', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-package-'));
    await install('testing', folder);
    // As most projects have.
    await writeFile(join(folder, 'package.json'), '{}');
    await mkdir(join(folder, 'docs'));
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

  it('contains the guide, whose links to other guides it does not have', async () => {
    const readme = await readFile(join(folder, 'node_modules/suppression-list-testing/README.md'), 'utf8');
    expect(readme).toMatch(/^# Testing against the service$/m);
    expect(readme).not.toMatch(/\.md\)/);
  });

  it('names no package that npm would install', async () => {
    const manifest = join(folder, 'node_modules/suppression-list-testing/package.json');
    const { dependencies, optionalDependencies, scripts } = JSON.parse(await readFile(manifest, 'utf8'));
    expect({ dependencies, optionalDependencies, scripts }).toEqual({ dependencies: {} });
  });

  it('has types for ES modules and for CommonJS', () => compile(TYPED_TEST, folder));
});

describe('the package with the local copy', () => {
  let folder: string;
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-package-'));
    await install('replica', folder);
    await symlink(resolve('node_modules/lmdb'), join(folder, 'node_modules/lmdb'));
  });
  afterAll(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  it('opens a copy, and needs no other package than lmdb', async () => {
    await suppress(world, world.alice, ['ada@example.com']);
    const options = { url: world.url, apiKey: world.alice, path: join(folder, 'copy') };
    await writeFile(
      join(folder, 'program.mjs'),
      `import { openReplica } from 'suppression-list-replica';
      const replica = await openReplica(${JSON.stringify(options)});
      console.log(replica.check(['ada@example.com', 'new@example.com']).map(({ verdict }) => verdict).join());
      await replica.close();`,
    );
    const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: folder });
    expect(stdout).toBe('suppressed,send\n');
  });

  it('loads in a CommonJS test file of Jest', async () => {
    const test = `test('it loads', () => expect(require('suppression-list-replica')).toHaveProperty('openReplica'));`;
    await writeFile(join(folder, 'replica.test.js'), test);
    const config = JSON.stringify({ rootDir: folder });
    const { stderr } = await run(process.execPath, [JEST, '--config', config], { cwd: folder });
    expect(stderr).toMatch(/^Tests: +1 passed, 1 total$/m);
  });

  it('has types for ES modules and for CommonJS', () => compile(TYPED_PROGRAM, folder));
});
