import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A compiler that writes down that it ran. */
const COMPILER = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
appendFileSync('builds', 'built');
mkdirSync('dist/src/cli', { recursive: true });
writeFileSync('dist/src/cli/main.js', 'console.log("ran")');
writeFileSync('dist/compiled', '');
`;

describe('npm run cli', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-build-'));
    for (const path of [
      'node_modules/@swc/core',
      'node_modules/esbuild',
      'packaging',
      'src/unsubscribe',
      'src/http',
      'migrations',
    ]) {
      await mkdir(join(folder, path), { recursive: true });
    }
    await writeFile(join(folder, 'packaging/compile.js'), COMPILER);
    await copyFile('package.json', join(folder, 'package.json'));
    await writeFile(join(folder, 'node_modules/.package-lock.json'), '{}');
    await writeFile(join(folder, 'src/unsubscribe/page.css'), '');
    await writeFile(join(folder, 'src/http/page.ts'), '');
    await writeFile(join(folder, 'migrations/CreateAccounts.ts'), '');
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Runs the command, and returns how many builds there were so far. */
  const buildsAfter = async (script: 'cli' | 'migrate'): Promise<number> => {
    const { stdout } = await run('npm', ['run', '--silent', script], { cwd: folder });
    expect(stdout).toBe('ran\n');
    return (await readFile(join(folder, 'builds'), 'utf8')).split('built').length - 1;
  };
  /** As a pull does it. */
  const change = (path: string) => {
    const soon = new Date(Date.now() + 10);
    return utimes(join(folder, path), soon, soon);
  };

  it('builds if there is no build, or a newer source file, compiler, or package, and not otherwise', async () => {
    expect(await buildsAfter('cli')).toBe(1);
    expect(await buildsAfter('cli')).toBe(1);
    await change('src/http/page.ts');
    expect(await buildsAfter('cli')).toBe(2);
    expect(await buildsAfter('migrate')).toBe(2);
    await change('migrations/CreateAccounts.ts');
    expect(await buildsAfter('migrate')).toBe(3);
    await change('src/unsubscribe/page.css');
    expect(await buildsAfter('cli')).toBe(4);
    await change('packaging/compile.js');
    expect(await buildsAfter('cli')).toBe(5);
    await change('node_modules/.package-lock.json');
    expect(await buildsAfter('cli')).toBe(6);
    await rm(join(folder, 'node_modules'), { recursive: true });
    await change('src/http/page.ts');
    expect(await buildsAfter('cli')).toBe(6);
    expect(await buildsAfter('migrate')).toBe(6);
  });
});
