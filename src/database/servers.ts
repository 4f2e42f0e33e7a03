import { Client } from 'pg';
import { sessionAttributesOf, urlsOfHosts } from '../config/database-url.js';

const PROBE_TIMEOUT_MS = 2_000;
/** Connections that are opened together share a probe. */
const PROBE_VALID_MS = 1_000;
/** SQLSTATE read_only_sql_transaction. */
const READ_ONLY = '25006';

/** Servers are reachable, but none of them accepts writes. */
export class NoWritableServerError extends Error {
  override readonly name = 'NoWritableServerError';
  readonly code = READ_ONLY;

  constructor() {
    super('no server in DATABASE_URL accepts writes');
  }
}

/** The servers in a connection string. Which one accepts writes changes when a standby is promoted. */
export class Servers {
  /** Connection strings of one host each. */
  readonly urls: readonly string[];
  private readonly isProbed: boolean;
  private latest?: string;
  private probing?: { since: number; found: Promise<string> };

  constructor(url: string) {
    this.urls = urlsOfHosts(url);
    this.isProbed = this.urls.length > 1 || sessionAttributesOf(url) !== undefined;
  }

  /**
   * The connection string of the server that accepts writes. A single server is not probed, unless the connection
   * string has `target_session_attrs`.
   *
   * @throws {NoWritableServerError}
   */
  findWritable(): Promise<string> {
    if (!this.isProbed) {
      return Promise.resolve(this.urls[0]!);
    }
    const now = performance.now();
    if (!this.probing || now > this.probing.since + PROBE_VALID_MS) {
      this.probing = { since: now, found: this.probe() };
    }
    return this.probing.found;
  }

  /** Prefers the server that was found before if two accept writes. */
  private async probe(): Promise<string> {
    const { latest } = this;
    if (latest !== undefined && (await requireWritable(latest).catch(() => undefined)) !== undefined) {
      return latest;
    }
    try {
      this.latest = await Promise.any(this.urls.map(requireWritable));
      return this.latest;
    } catch (error) {
      const { errors } = error as AggregateError;
      throw errors.find((problem) => problem instanceof NoWritableServerError) ?? errors[0];
    }
  }
}

async function requireWritable(url: string): Promise<string> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
    if (rows[0]!.transaction_read_only === 'on') {
      throw new NoWritableServerError();
    }
    return url;
  } finally {
    void client.end().catch(() => undefined);
  }
}
