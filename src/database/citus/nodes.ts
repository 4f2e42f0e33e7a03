import { Client, type DatabaseError, type PoolClient, type PoolConfig } from 'pg';
import type { FairLimiter } from '../../process/fair-limiter.js';
import { createClientClass, socketOf } from '../connections.js';
import { isReply, markLost } from '../errors.js';
import { Servers } from '../servers.js';
import { ServingPool } from '../serving-pool.js';
import type { Node } from './topology.js';

const CHECK_MS = 250;
/** How long a node may reply to no statement before it is probed. */
const SILENCE_MS = 500;
const PROBE_TIMEOUT_MS = 1_500;
/** SQLSTATE too_many_connections. */
const TOO_MANY_CONNECTIONS = '53300';

/** The connections to each node. */
export class Nodes {
  private readonly byUrl = new Map<string, NodeConnections>();

  /**
   * @param config - the configuration of a pool
   * @param onError - called when an idle connection breaks
   * @param onDown - called when a node is down
   */
  constructor(
    private readonly config: PoolConfig,
    private readonly onError: (error: Error) => void,
    private readonly onDown: () => void,
  ) {}

  get pools(): ServingPool[] {
    return [...this.byUrl.values()].map(({ current }) => current);
  }

  connect(node: Node): Promise<PoolClient> {
    return this.connectionsTo(node).connect();
  }

  turnsAt(node: Node): FairLimiter {
    return this.connectionsTo(node).current.turns;
  }

  private connectionsTo({ url }: Node): NodeConnections {
    let connections = this.byUrl.get(url);
    if (!connections) {
      connections = new NodeConnections(url, this.config, this.onError, this.onDown);
      this.byUrl.set(url, connections);
    }
    return connections;
  }

  /** Whether a node is up, judging by earlier statements. */
  isUp({ url }: Node): boolean {
    return this.byUrl.get(url)?.isUp ?? true;
  }

  /** Closes connections to addresses that no node has anymore, once they are idle. */
  keep(nodes: readonly Node[]): void {
    const urls = new Set(nodes.map(({ url }) => url));
    for (const [url, connections] of this.byUrl) {
      if (!urls.has(url)) {
        this.byUrl.delete(url);
        void connections.end().catch(() => undefined);
      }
    }
  }

  async end(): Promise<void> {
    await Promise.all([...this.byUrl.values()].map((connections) => connections.end()));
  }
}

/**
 * The connections to a node. After a broken connection or a period of silence, a new connection shows whether the node is down.
 * While it is down, all statements fail immediately, including those that were already sent.
 */
class NodeConnections {
  isUp = true;
  private pool: ServingPool;
  private readonly used = new Set<PoolClient>();
  private readonly waiting = new Set<(error: unknown) => void>();
  /** When the node last replied, or last had nothing to reply to. */
  private heardAt = performance.now();
  private isProbing = false;
  private readonly checking = setInterval(() => this.check(), CHECK_MS).unref();

  constructor(
    private readonly url: string,
    private readonly config: PoolConfig,
    private readonly onError: (error: Error) => void,
    private readonly onDown: () => void,
  ) {
    this.pool = this.open();
  }

  get current(): ServingPool {
    return this.pool;
  }

  connect(): Promise<PoolClient> {
    if (!this.isUp) {
      return Promise.reject(nodeDown());
    }
    return new Promise((resolve, reject) => {
      this.waiting.add(reject);
      this.pool.connect((error, client) => {
        if (!this.waiting.delete(reject)) {
          client?.release();
        } else if (client) {
          resolve(client);
        } else {
          this.suspect(error);
          reject(error);
        }
      });
    });
  }

  async end(): Promise<void> {
    clearInterval(this.checking);
    await this.pool.end();
  }

  private open(): ServingPool {
    const { url, config } = this;
    return new ServingPool({ ...config, connectionString: url, Client: createClientClass(new Servers(url)) })
      .on('error', this.onError)
      .on('acquire', (client) => this.used.add(client))
      .on('release', (_error, client) => this.used.delete(client))
      .on('connect', (client) => {
        socketOf(client).on('data', () => (this.heardAt = performance.now()));
        client.on('error', (error) => this.suspect(error));
      });
  }

  private suspect(error: unknown): void {
    if (!isReply(error)) {
      void this.probe();
    }
  }

  private check(): void {
    const now = performance.now();
    if (!this.isUp) {
      void this.probe();
    } else if (this.used.size + this.waiting.size === 0) {
      this.heardAt = now;
    } else if (now - this.heardAt > SILENCE_MS) {
      void this.probe();
    }
  }

  private async probe(): Promise<void> {
    if (this.isProbing) {
      return;
    }
    this.isProbing = true;
    const wasUp = this.isUp;
    this.isUp = await acceptsConnections(this.url);
    this.isProbing = false;
    this.heardAt = performance.now();
    if (wasUp && !this.isUp) {
      this.abandon();
      this.onDown();
    }
  }

  private abandon(): void {
    void this.pool.end().catch(() => undefined);
    this.pool = this.open();
    this.waiting.forEach((reject) => reject(nodeDown()));
    this.waiting.clear();
    this.used.forEach((client) => socketOf(client).destroy());
  }
}

const nodeDown = (): unknown => markLost(new Error('a node does not respond'));

/** A node that is frozen accepts connections, and does not reply. */
async function acceptsConnections(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString, connectionTimeoutMillis: PROBE_TIMEOUT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    return (error as DatabaseError).code === TOO_MANY_CONNECTIONS;
  } finally {
    void client.end().catch(() => undefined);
  }
}
