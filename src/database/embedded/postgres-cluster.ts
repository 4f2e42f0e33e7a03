import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, chown, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeFolder } from '../../process/make-folder.js';
import { DatabaseError } from '../errors.js';
import {
  chooseOwner,
  exists,
  failureIn,
  findBinaries,
  requireSafePath,
  runAs,
  type Binaries,
  type Owner,
} from './postgres-programs.js';

/** Longer than most starts take. A signal does not end this wait. */
const START_TIMEOUT_SECONDS = 10;
const STOP_TIMEOUT_MS = 60_000;
const RETRY_MS = 20;

const SETTINGS: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
};

/**
 * A PostgreSQL data folder and the binaries that serve it. PostgreSQL refuses to run as root, so root runs it as the user
 * `postgres` or `nobody`.
 */
export class PostgresCluster {
  private constructor(
    private readonly directory: string,
    private readonly binaries: Binaries,
    private readonly owner: Owner | undefined,
    private readonly password: string,
  ) {}

  static exists(dataDir: string): Promise<boolean> {
    return exists(join(dataDir, 'postgres'));
  }

  /** Opens the cluster in `<dataDir>/postgres`, and creates it if it does not exist. */
  static async open(dataDir: string): Promise<PostgresCluster> {
    const directory = join(dataDir, 'postgres');
    const binaries = await findBinaries();
    requireSafePath(directory);
    requireSafePath(binaries.pg_ctl);
    const owner = await chooseOwner(directory);
    if (!(await exists(directory))) {
      await createCluster(dataDir, directory, binaries, owner);
    }
    try {
      await access(directory, constants.W_OK);
      const password = await readFile(join(directory, PASSWORD_FILE), 'utf8');
      return new PostgresCluster(directory, binaries, owner, password);
    } catch (error) {
      throw new DatabaseError(
        `The data in ${dataDir} cannot be used (${(error as Error).message}). ` +
          'Run as the user who created it, or set DATA_DIR.',
      );
    }
  }

  url(port: number, database: string): string {
    return `postgresql://${SUPERUSER}:${this.password}@127.0.0.1:${port}/${database}`;
  }

  /** The port in the pid file, or undefined if there is no such file. The server may have died since. */
  async recordedPort(): Promise<number | undefined> {
    return Number((await this.readPidFile())[3]) || undefined;
  }

  /** The file in which the server logs. */
  get log(): string {
    return join(this.directory, 'server.log');
  }

  /**
   * Starts the server and waits until it accepts connections. Fails if one is running or starting already, or if the server takes
   * longer than ten seconds, in which case it goes on.
   */
  async start(port: number, settings: Record<string, string> = {}): Promise<void> {
    const flags = Object.entries({ ...SETTINGS, ...settings, port: String(port) }).map(
      ([name, value]) => `-c ${name}='${value}'`,
    );
    const { log } = this;
    const loggedBefore = (await readFile(log, 'utf8').catch(() => '')).length;
    try {
      await runAs(this.owner, this.binaries.pg_ctl, this.directory, [
        'start',
        '--wait',
        `--timeout=${START_TIMEOUT_SECONDS}`,
        '--silent',
        `--log=${log}`,
        `--options=${flags.join(' ')}`,
      ]);
    } catch (error) {
      const logged = (await readFile(log, 'utf8').catch(() => '')).slice(loggedBefore);
      throw new DatabaseError(
        `PostgreSQL does not start: ${logged ? failureIn(logged) : (error as Error).message} (log: ${log})`,
        { cause: error },
      );
    }
  }

  /**
   * Stops the server after it has ended its sessions and written its data. `pg_ctl --wait` would also wait for the next
   * server, if another process starts one right away.
   */
  async stop(): Promise<void> {
    const [pid = 'none'] = await this.readPidFile();
    await runAs(this.owner, this.binaries.pg_ctl, this.directory, [
      'stop',
      '--no-wait',
      '--silent',
      '--mode=fast',
    ]);
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    while ((await this.readPidFile())[0] === pid && Date.now() < deadline) {
      await delay(RETRY_MS);
    }
  }

  /**
   * Deletes what killed processes left of clusters that they were creating. What cannot be deleted stays. A process that is
   * creating one at this moment uses this cluster instead.
   */
  async deleteDrafts(): Promise<void> {
    const dataDir = dirname(this.directory);
    const drafts = (await readdir(dataDir)).filter((name) => name.startsWith(DRAFT));
    await Promise.allSettled(drafts.map((name) => rm(join(dataDir, name), { recursive: true, force: true })));
  }

  private async readPidFile(): Promise<string[]> {
    const text = await readFile(join(this.directory, 'postmaster.pid'), 'utf8').catch(() => '');
    return text === '' ? [] : text.split('\n');
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

const SUPERUSER = 'postgres';
const PASSWORD_FILE = 'password';
const DRAFT = 'postgres-draft-';

/** Creates a cluster under a temporary name, so that an interrupted start leaves no incomplete cluster. */
async function createCluster(
  dataDir: string,
  directory: string,
  binaries: Binaries,
  owner?: Owner,
): Promise<void> {
  const draft = await makeDraft(dataDir);
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

async function makeDraft(dataDir: string): Promise<string> {
  try {
    makeFolder(dataDir);
    return await mkdtemp(join(dataDir, DRAFT));
  } catch (error) {
    throw new DatabaseError(
      `The folder ${dataDir} cannot be used for data (${(error as Error).message}). Set DATA_DIR to a folder that this user may write to.`,
    );
  }
}
