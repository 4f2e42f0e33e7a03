import { resolve } from 'node:path';
import { Client } from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { OperatorError } from '../../process/operator-error.js';
import { freePort, type PostgresCluster } from './postgres-cluster.js';
import { EmbeddedPostgresError } from './postgres-programs.js';

export const DATABASE = 'suppression_list';
/** Shared by every process that uses the server. The one that can take it exclusively is the last and stops the server. */
export const IN_USE_LOCK = 5_201_001;
/** Exclusive to the service of a data folder. PostgreSQL releases it whenever the service dies. */
const SERVICE_LOCK = 5_201_002;
const CONNECT_TIMEOUT_MS = 2_000;
const OPEN_TIMEOUT_MS = 20_000;
/** PostgreSQL needs a moment to notice that a service was killed, and to release its lock. */
export const SERVICE_LOCK_WAIT_MS = 2_000;
const RETRY_MS = 50;
/** A start that leaves no pid file has lost its port to another process, so the next one works, or it never will. */
const MAX_FAILED_STARTS = 3;

/** Another service uses the data folder. */
export class DataDirInUseError extends OperatorError {}

export interface EmbeddedPostgresOptions {
  /** A `service` claims the folder, so that a second one is refused. A `client` shares the server. */
  role: 'service' | 'client';
  /** Settings of PostgreSQL, such as `{ fsync: 'off' }`. They apply only if this call starts the server. */
  settings?: Record<string, string>;
}

/** The session that holds the locks of this process, and the port of the server. */
export interface Connection {
  client: Client;
  port: number;
}

export async function connect(
  dataDir: string,
  cluster: PostgresCluster,
  { role, settings }: EmbeddedPostgresOptions,
  wantedPort?: number,
): Promise<Connection> {
  const deadline = Date.now() + OPEN_TIMEOUT_MS;
  let lastError: unknown;
  let failedStarts = 0;
  while (Date.now() < deadline && failedStarts < MAX_FAILED_STARTS) {
    const recordedPort = await cluster.recordedPort();
    const client = recordedPort ? await tryConnect(cluster.url(recordedPort, 'postgres')) : undefined;
    if (!client) {
      await cluster
        .start(wantedPort ?? recordedPort ?? (await freePort()), settings)
        .catch((error) => (lastError = error));
      failedStarts += (await cluster.recordedPort()) ? 0 : 1;
    } else if (await tryLock(client, 'pg_try_advisory_lock_shared', IN_USE_LOCK).catch(() => false)) {
      if (role === 'service') {
        await claim(dataDir, client);
      }
      await createDatabase(client);
      return { client, port: recordedPort! };
    } else {
      await client.end().catch(() => undefined);
    }
    await delay(RETRY_MS);
  }
  throw lastError ?? new EmbeddedPostgresError(`The PostgreSQL in ${dataDir} did not start.`);
}

async function tryConnect(connectionString: string): Promise<Client | undefined> {
  const client = new Client({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => undefined);
  return client.connect().then(
    () => client,
    () => undefined,
  );
}

async function claim(dataDir: string, client: Client): Promise<void> {
  const deadline = Date.now() + SERVICE_LOCK_WAIT_MS;
  while (!(await tryLock(client, 'pg_try_advisory_lock', SERVICE_LOCK))) {
    if (Date.now() > deadline) {
      await client.end();
      throw new DataDirInUseError(
        `Another service is running on ${resolve(dataDir)}. Stop it, or set DATA_DIR to another folder.`,
      );
    }
    await delay(RETRY_MS);
  }
}

export async function tryLock(
  client: Client,
  lock: 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared',
  key: number,
): Promise<boolean> {
  const { rows } = await client.query(`SELECT ${lock}($1) AS taken`, [key]);
  return rows[0].taken;
}

async function createDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
  if (rowCount === 0) {
    await client.query(`CREATE DATABASE ${DATABASE}`).catch((error: { code?: string }) => {
      const existsAlready = error.code === '42P04' || error.code === '23505';
      if (!existsAlready) {
        throw error;
      }
    });
  }
}
