import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A compiler that writes down that it ran, and says of a build that nothing changed by leaving its files alone. */
const COMPILER = `#!/bin/sh
echo built >> builds
mkdir -p dist/src/cli dist/src/console/styles dist/src/unsubscribe
test -f dist/src/cli/main.js || echo 'console.log("ran")' > dist/src/cli/main.js
test -f dist/tsconfig.tsbuildinfo || echo > dist/tsconfig.tsbuildinfo
`;

/** Where the build copies style sheets from. */
const STYLES = ['src/console/styles', 'src/unsubscribe'];

describe('npm run cli', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'suppression-list-build-'));
    const compiler = join(folder, 'node_modules', '.bin', 'tsc');
    for (const path of [
      'node_modules/.bin',
      'node_modules/typescript',
      'src/http',
      ...STYLES,
      'migrations',
    ]) {
      await mkdir(join(folder, path), { recursive: true });
    }
    await Promise.all(STYLES.map((path) => writeFile(join(folder, path, 'page.css'), '')));
    await writeFile(compiler, COMPILER);
    await chmod(compiler, 0o755);
    await copyFile('package.json', join(folder, 'package.json'));
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

  it('builds if there is no build or a newer source file, and not otherwise', async () => {
    expect(await buildsAfter('cli')).toBe(1);
    expect(await buildsAfter('cli')).toBe(1);
    await change('src/http/page.ts');
    expect(await buildsAfter('cli')).toBe(2);
    expect(await buildsAfter('migrate')).toBe(2);
    await change('migrations/CreateAccounts.ts');
    expect(await buildsAfter('migrate')).toBe(3);
    await change('src/unsubscribe/page.css');
    expect(await buildsAfter('cli')).toBe(4);
    await rm(join(folder, 'node_modules'), { recursive: true });
    expect(await buildsAfter('cli')).toBe(4);
    expect(await buildsAfter('migrate')).toBe(4);
  });
});
