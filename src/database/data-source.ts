import type { Socket } from 'node:net';
import { Client, type ClientBase, type ClientConfig } from 'pg';
import { DataSource } from 'typeorm';
import type { Schema } from './schema.js';
/** Both below the deadline of a request, so that nobody waits for what will not be answered any more. */
const CONNECT_TIMEOUT_MS = 4_000;
export const STATEMENT_TIMEOUT_MS = 4_000;
/** The server cancels first, so that what we call failed does not happen. Later than this it is not there. */
const SILENCE_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 300;

/**
 * Every statement has its index: a plan that was made while a table was small must not read all of it when it has grown.
 * Moments are read as PostgreSQL prints them, whatever the style of the database is.
 */
const SERVING_OPTIONS = `-c statement_timeout=${STATEMENT_TIMEOUT_MS} -c enable_seqscan=off -c DateStyle=ISO`;
/** All later requests for a table wait behind a migration that waits for it. */
const MIGRATING_OPTIONS = '-c statement_timeout=0 -c lock_timeout=2s';

/**
 * The connections of a serving instance: a pool whose statements and waits for a connection end within four seconds.
 *
 * @param url - PostgreSQL 15 or newer
 */
export function createDataSource(
  url: string,
  poolSize: number,
  { entities, migrations }: Schema,
): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    applicationName: 'suppression-list',
    entities,
    migrations,
    poolSize,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    extra: { Client: ImpatientClient, keepAlive: true },
  });
}

/** One connection without time limits, for migrations. */
export function createMigrationDataSource(url: string, { migrations }: Schema): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    applicationName: 'suppression-list-migrate',
    migrations,
    migrationsTransactionMode: 'each',
    poolSize: 1,
    extra: { Client: MigratingClient },
  });
}

/** A connection whose statements may take their time, also where those of its user may not. */
export class MigratingClient extends Client {
  constructor(config: ClientConfig) {
    super(config);
    setOptions(this, MIGRATING_OPTIONS);
  }
}

/**
 * A connection that stays silent in the middle of a statement is closed, not handed to the next request: after a
 * failover or a cut network it would stay silent for minutes. One timer of its socket sees to it; a timer for each
 * statement, as `query_timeout` has it, kept results in memory long after their time, a fifth of what a page costs.
 */
class ImpatientClient extends Client {
  /** Of pg: false while a statement is on its way. */
  declare readonly readyForQuery: boolean;

  constructor(config: ClientConfig) {
    super(config);
    setOptions(this, SERVING_OPTIONS);
    // Whoever waits for a statement is told by it; a connection that breaks must not end the process.
    this.on('error', () => undefined);
    this.once('connect', () => {
      const socket = socketOf(this);
      socket.setTimeout(SILENCE_TIMEOUT_MS, () => {
        if (!this.readyForQuery) {
          socket.destroy();
        }
      });
    });
  }
}

/** Does work in which a connection may be silent for longer than a request waits. */
export async function patiently<Result>(
  client: ClientBase,
  milliseconds: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const socket = socketOf(client as Client);
  socket.setTimeout(milliseconds);
  try {
    return await work();
  } finally {
    socket.setTimeout(SILENCE_TIMEOUT_MS);
  }
}

/** Of pg: what it connects with. */
interface Connecting {
  connectionParameters: { options?: string; statement_timeout?: unknown };
}

/** Sets options of a session behind those of the URL and of the environment, which would else take their place. */
function setOptions(client: Client, options: string): void {
  const { connectionParameters } = client as unknown as Connecting;
  connectionParameters.options = [connectionParameters.options, options].join(' ').trim();
  connectionParameters.statement_timeout = undefined;
}

function socketOf(client: Client): Socket {
  return client.connection.stream as Socket;
}
