import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, type QueryResultRow } from 'pg';
import { freePort, PostgresCluster } from '../../../src/database/embedded/postgres-cluster.js';
import { until } from '../until.js';

const run = promisify(execFile);

interface Server {
  port: number;
  cluster: PostgresCluster;
  folder: string;
}

/** A primary and a standby, which has every transaction before it is acknowledged if replication is synchronous. */
export class ReplicatedPostgres {
  private constructor(
    private readonly folder: string,
    private readonly primary: Server,
    private readonly standby: Server,
  ) {}

  static async start(database: string, { isSynchronous = true } = {}): Promise<ReplicatedPostgres> {
    const folder = await mkdtemp(join(process.env.TEST_DATABASE_FOLDER!, 'suppression-list-replicated-'));
    await chmod(folder, 0o711);
    const [primary, standby] = await Promise.all(
      ['primary', 'standby'].map(async (name) => ({ folder: join(folder, name), port: await freePort() })),
    );
    const cluster = await PostgresCluster.open(primary!.folder);
    await cluster.start(primary!.port);
    await onServer(cluster.url(primary!.port, 'postgres'), `CREATE DATABASE ${database}`);
    await cluster.stop();
    const follower = await copyAsStandby(primary!, standby!, cluster.url(primary!.port, 'postgres'));
    await cluster.start(primary!.port, isSynchronous ? { synchronous_standby_names: '*' } : {});
    await follower.start(standby!.port);
    return new ReplicatedPostgres(folder, { ...primary!, cluster }, { ...standby!, cluster: follower });
  }

  /** The connection string of both servers. */
  url(database: string): string {
    const { port } = this.standby;
    const url = new URL(this.primary.cluster.url(this.primary.port, database));
    return `postgresql://${url.username}:${url.password}@127.0.0.1:${port},127.0.0.1:${url.port}/${database}?target_session_attrs=read-write`;
  }

  /** The connection string of the primary alone. */
  primaryUrl(database: string): string {
    return this.primary.cluster.url(this.primary.port, database);
  }

  /** The connection string of the standby alone. */
  standbyUrl(database: string): string {
    return this.standby.cluster.url(this.standby.port, database);
  }

  /** Ends the primary without a word to its clients, as a crash does, and makes the standby the new primary. */
  async failOver(): Promise<void> {
    await kill(this.primary);
    await onServer(this.standbyUrl('postgres'), 'SELECT pg_promote()');
  }

  /** Ends the standby without a word to its clients. */
  killStandby(): Promise<void> {
    return kill(this.standby);
  }

  startStandby(): Promise<void> {
    return this.standby.cluster.start(this.standby.port);
  }

  /** Waits until the standby shows everything that the primary has committed. */
  async catchUp(): Promise<void> {
    const [written] = await onServer(this.primaryUrl('postgres'), 'SELECT pg_current_wal_lsn() AS lsn');
    await until(async () => {
      const [row] = await onServer(
        this.standbyUrl('postgres'),
        `SELECT pg_last_wal_replay_lsn() >= '${written!.lsn}' AS shown`,
      );
      return row!.shown;
    });
  }

  /** Lets the standby receive changes without showing them. */
  async pauseReplay(): Promise<void> {
    await onServer(this.standbyUrl('postgres'), 'SELECT pg_wal_replay_pause()');
    await until(async () => {
      const [row] = await onServer(
        this.standbyUrl('postgres'),
        'SELECT pg_get_wal_replay_pause_state() AS state',
      );
      return row!.state === 'paused';
    });
  }

  async resumeReplay(): Promise<void> {
    await onServer(this.standbyUrl('postgres'), 'SELECT pg_wal_replay_resume()');
  }

  query<Row extends QueryResultRow>(database: string, sql: string): Promise<Row[]> {
    return onServer(this.standbyUrl(database), sql);
  }

  async stop(): Promise<void> {
    await kill(this.standby).catch(() => undefined);
    await kill(this.primary).catch(() => undefined);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Copies a stopped primary, with the owner of its files. */
async function copyAsStandby(
  primary: { folder: string },
  standby: { folder: string },
  primaryUrl: string,
): Promise<PostgresCluster> {
  await run('cp', ['--archive', primary.folder, standby.folder]);
  const directory = join(standby.folder, 'postgres');
  const { uid, gid } = await stat(directory);
  for (const [name, text] of [
    ['standby.signal', ''],
    ['postgresql.auto.conf', `primary_conninfo = '${primaryUrl}'\n`],
  ] as const) {
    await writeFile(join(directory, name), text);
    await chown(join(directory, name), uid, gid);
  }
  return PostgresCluster.open(standby.folder);
}

async function kill({ folder }: Server): Promise<void> {
  const file = join(folder, 'postgres', 'postmaster.pid');
  process.kill(Number((await readFile(file, 'utf8')).split('\n')[0]), 'SIGQUIT');
  await until(() => !existsSync(file));
}

async function onServer<Row extends QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
