import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseError } from '../errors.js';
import type { Servers } from '../servers.js';

const MAX_WAIT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;
const RETRY_MS = 1_000;
/** What pg says if the server, or something in front of it, accepts a connection and stays silent, or accepts none. */
const TIMED_OUT = /^timeout expired$/;
const NO_ANSWER = 'the server does not answer. Check that it runs, and that no firewall drops its packets';
/** PostgreSQL: connection exceptions, out of resources, shutting down or starting, and read only. Node: no network or no name yet. */
const STARTING =
  /^(?:08|53|55|57)...$|^25006$|^(?:EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EPIPE|ETIMEDOUT)$/;
/** pg: the server closed the connection, or stays silent. */
const BROKEN = /^(?:Connection terminated|timeout expired)/;
/** `service` for the one service of a data folder, `client` for a command. */
export type Role = 'service' | 'client' | 'schema';

/** @returns the connection string of the server that accepts writes */
export async function waitForServer(servers: Servers, role: Role, stopping?: AbortSignal): Promise<string> {
  const deadline = Date.now() + MAX_WAIT_MS;
  let reported = '';
  for (;;) {
    try {
      const connectionString = await servers.findWritable();
      const client = new Client({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
      await client.connect();
      await client.end();
      return connectionString;
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      const problem = TIMED_OUT.test(message) ? NO_ANSWER : message || code;
      if (!(STARTING.test(code) || BROKEN.test(message)) || Date.now() > deadline) {
        throw new DatabaseError(`The database at DATABASE_URL cannot be used: ${problem}`);
      }
      if (problem !== reported) {
        reportWaiting(role, `waiting for the database: ${problem}`);
        reported = problem;
      }
    }
    await delay(RETRY_MS, undefined, { signal: stopping });
  }
}

/** A command has no log. */
function reportWaiting(role: Role, text: string): void {
  if (role === 'service') {
    new Logger('Database').warn(text);
  } else {
    console.error(text);
  }
}
