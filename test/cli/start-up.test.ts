import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const STATIC_IMPORT = /^(?:import|export) (?!type )(?:[^;'"]*? from )?'([^']+)';$/gm;

/** The packages that a module loads before its own code runs. */
function packagesOf(file: string, seen = new Set<string>()): Set<string> {
  const packages = new Set<string>();
  const text = readFileSync(file, 'utf8');
  for (const [, name] of text.matchAll(STATIC_IMPORT)) {
    if (!name!.startsWith('.')) {
      packages.add(name!);
      continue;
    }
    const imported = join(file, '..', name!.replace(/\.js$/, '.ts'));
    if (!seen.has(imported)) {
      seen.add(imported);
      packagesOf(imported, seen).forEach((one) => packages.add(one));
    }
  }
  return packages;
}

describe('the command line', () => {
  it('starts without the framework, the database and other large packages', () => {
    const packages = [...packagesOf('src/cli/main.ts')].filter((name) => !name.startsWith('node:'));
    expect(packages).toEqual(['commander', 'leven']);
  });
});
