import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const RELATIVE_LINK = /\[([^\]]+)\]\((?!https?:|#)[^)]+\)/g;

const { version, license, engines, optionalDependencies } = readJson(join(root, 'package.json'));

/** The optional dependencies of the service, with their versions. */
export { optionalDependencies };

/**
 * Makes a package in the folder named on the command line, or else in the working directory.
 *
 * @param name - of the folder beside this file that has the package's own package.json
 * @param guide - becomes its README
 * @param fill - puts the other files into a folder
 * @param dependencies - the packages that it needs, with their versions
 */
export async function pack(name, guide, fill, dependencies = {}) {
  const folder = mkdtempSync(join(tmpdir(), `suppression-list-${name}-`));
  try {
    await fill(folder);
    const manifest = {
      ...readJson(join(root, 'packaging', name, 'package.json')),
      version,
      license,
      engines,
      dependencies,
    };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
    copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
    const readme = readFileSync(join(root, guide), 'utf8').replace(RELATIVE_LINK, '$1');
    writeFileSync(join(folder, 'README.md'), readme);
    execFileSync('npm', ['pack', '--silent', '--pack-destination', process.argv[2] ?? process.cwd()], {
      cwd: folder,
      stdio: 'inherit',
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
