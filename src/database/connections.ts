import type { Socket } from 'node:net';
import { Client, type ClientBase, type ClientConfig } from 'pg';
import type { EntityManager } from 'typeorm';
import { isReadOnly } from './errors.js';
import type { Servers } from './servers.js';

/** Both are shorter than the deadline of a request. */
export const CONNECT_TIMEOUT_MS = 4_000;
export const STATEMENT_TIMEOUT_MS = 4_000;
/**
 * Longer than the statement timeout, so that the server cancels a statement first. A server that does not is considered lost.
 */
const SOCKET_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 300;
/**
 * Sequential and bitmap scans are off, because a plan that was cached while a table was small would later read the whole table,
 * or all matches to return a page of them. Plans are generic, because a plan for an account that is newer than the statistics
 * assumes that it has one record, and reads all of them to find one. `jit` is off, because PostgreSQL 15 assigns disabled scans a
 * cost so high that it would compile statements that read a few rows.
 */
const PLANNER_SETTINGS = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
};
/**
 * Transactions rely on seeing what was committed while they waited for a lock, and statements and functions on backslashes that
 * escape nothing.
 */
const SESSION_SETTINGS = {
  default_transaction_isolation: 'read committed',
  standard_conforming_strings: 'on',
};
/** Statements are slow or wrong without these settings. */
const REQUIRED_SETTINGS = { ...SESSION_SETTINGS, ...PLANNER_SETTINGS };
/** An instance that freezes in a transaction loses its locks. The parser of timestamps needs the ISO style. */
const SERVING_OPTIONS = optionsOf({
  statement_timeout: String(STATEMENT_TIMEOUT_MS),
  idle_in_transaction_session_timeout: '10s',
  DateStyle: 'ISO',
  ...REQUIRED_SETTINGS,
});
/**
 * The lock timeout is short, because all later requests for a table queue behind a migration that waits for it. The role may have
 * the settings of {@link PLANNER_SETTINGS}. Citus changes shards sequentially, because after parallel changes it cannot replace a
 * function in the same transaction.
 */
const MIGRATING_OPTIONS = optionsOf({
  statement_timeout: '0',
  lock_timeout: '2s',
  enable_seqscan: 'on',
  enable_bitmapscan: 'on',
  plan_cache_mode: 'auto',
  'citus.multi_shard_modify_mode': 'sequential',
  ...SESSION_SETTINGS,
});

/** A connection without a statement timeout, even if its user has one. */
export class MigrationClient extends Client {
  constructor(config: ClientConfig) {
    super(config);
    setOptions(this, MIGRATING_OPTIONS);
    // A connection that breaks rejects its statements, and must not end the process.
    this.on('error', () => undefined);
  }
}

/** Runs work on a {@link MigrationClient}, and closes it. */
export async function withMigrationClient<Result>(
  config: ClientConfig,
  work: (client: MigrationClient) => Promise<Result>,
): Promise<Result> {
  const client = new MigrationClient(config);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * A connection that sends statements without waiting for the results of earlier ones. It is closed if no data arrives during a
 * statement, as happens for minutes after a failover or a network failure. It uses the socket's own timer. A timer for each
 * statement, as with `query_timeout`, would keep the results in memory until the timer is collected, which adds a fifth to the
 * cost of a page of the list.
 */
export class TimeLimitedClient extends Client {
  /** Set by pg: false during a statement. */
  declare readonly readyForQuery: boolean;
  /** Whether the session has refused to write. */
  isReadOnly = false;

  constructor(config: ClientConfig) {
    super({ ...config, pipeline: true });
    setOptions(this, SERVING_OPTIONS);
    // A broken connection rejects the running statement. The error must not end the process.
    this.on('error', () => undefined);
    this.connection.on('errorMessage', (error) => {
      this.isReadOnly ||= isReadOnly(error);
    });
    this.once('connect', () => {
      const socket = socketOf(this);
      socket.setTimeout(SOCKET_TIMEOUT_MS);
      socket.on('timeout', () => {
        if (!this.readyForQuery) {
          socket.destroy();
        }
      });
    });
  }

  setSocketTimeout(milliseconds: number): void {
    socketOf(this).setTimeout(milliseconds);
  }
}

/** The {@link REQUIRED_SETTINGS} that connections to a server lack, because a pooler drops them and the role does not have them. */
export async function findLostSettings(connectionString: string): Promise<string[]> {
  const client = new TimeLimitedClient({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `SELECT name
      FROM unnest($1::text[], $2::text[]) AS wanted (name, value)
      WHERE current_setting(name) <> value`,
      [Object.keys(REQUIRED_SETTINGS), Object.values(REQUIRED_SETTINGS)],
    );
    return rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** A connection that is closed if no data arrives during a statement. */
export interface WithSocketTimeout {
  setSocketTimeout(milliseconds: number): void;
}

/** Connections that look for the server that accepts writes before they are opened. */
export function createClientClass(servers: Servers): typeof Client {
  class ServingClient extends TimeLimitedClient {
    override connect(): Promise<Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<Client> | void {
      const connected = this.connectToWritable();
      if (!callback) {
        return connected;
      }
      connected.then(() => process.nextTick(callback), callback);
    }

    private async connectToWritable(): Promise<Client> {
      const { host, port } = new Client({ connectionString: await servers.findWritable() });
      Object.assign(this, { host, port });
      return super.connect();
    }
  }
  return ServingClient;
}

/** Lets the connection of a transaction wait longer for data while some work runs. */
export async function withSocketTimeout<Result>(
  { queryRunner }: EntityManager,
  milliseconds: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const limited = (await queryRunner!.connect()) as WithSocketTimeout;
  limited.setSocketTimeout(milliseconds);
  try {
    return await work();
  } finally {
    limited.setSocketTimeout(SOCKET_TIMEOUT_MS);
  }
}

/** The part of pg's client that holds the connection parameters. */
interface ConnectingClient {
  connectionParameters: { options?: string; statement_timeout?: unknown };
}

/** Adds options of the session to those of the URL and of the environment, which would otherwise replace them. */
function setOptions(client: Client, options: string): void {
  const { connectionParameters } = client as unknown as ConnectingClient;
  connectionParameters.options = [connectionParameters.options, options].join(' ').trim();
  connectionParameters.statement_timeout = undefined;
}

function optionsOf(settings: Record<string, string>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ');
}

export function socketOf(client: ClientBase): Socket {
  return (client as Client).connection.stream as Socket;
}
