import type { PoolClient } from 'pg';
import { createClientClass } from '../connections.js';
import { isReply } from '../is-database-unavailable.js';
import { markLost } from '../lost-connections.js';
import { Servers } from '../servers.js';
import { ServingPool } from '../serving-pool.js';
import type { SpreadPoolConfig } from './spread-pool.js';
import type { Node } from './topology.js';

/** How soon a statement tries again to reach a node that is down. */
const RETRY_MS = 500;
/** As in `data-source.ts`. */
const CONNECT_TIMEOUT_MS = 4_000;

/** The connections to each node. */
export class NodePools {
  /** Whether each node could be reached, by host and port. */
  readonly reachable = new Map<string, boolean>();
  private readonly down = new Map<string, { error: unknown; retryAt: number }>();
  private readonly pools = new Map<string, ServingPool>();

  constructor(
    private readonly config: SpreadPoolConfig,
    private readonly onError: (error: Error) => void,
  ) {}

  get all(): ServingPool[] {
    return [...this.pools.values()];
  }

  /**
   * While a node is down or does not respond, one statement after the other tries to reach it, and the others fail at once, until
   * {@link noteReply}.
   */
  async connect(node: Node): Promise<PoolClient> {
    const address = addressOf(node);
    const down = this.down.get(address);
    if (down) {
      if (performance.now() < down.retryAt) {
        throw down.error;
      }
      down.retryAt = performance.now() + CONNECT_TIMEOUT_MS;
    }
    const pool = this.poolOf(node);
    try {
      return await pool.connect();
    } catch (error) {
      if (pool.totalCount < this.config.max! && !isReply(error)) {
        this.noteSilence(address, error);
      }
      throw error;
    }
  }

  noteReply(node: Node): void {
    const address = addressOf(node);
    this.down.delete(address);
    this.reachable.set(address, true);
  }

  private noteSilence(address: string, error: unknown): void {
    this.down.set(address, { error, retryAt: performance.now() + RETRY_MS });
    this.reachable.set(address, false);
    void this.config.topology.refresh().catch(() => undefined);
  }

  /** Closes the connections to addresses that no node has any more, once they are idle. */
  keep(nodes: readonly Node[]): void {
    const urls = new Set(nodes.map((node) => this.config.urlOf(node)));
    const addresses = new Set(nodes.map(addressOf));
    for (const [url, pool] of this.pools) {
      if (!urls.has(url)) {
        this.pools.delete(url);
        void pool.end().catch(() => undefined);
      }
    }
    for (const address of this.reachable.keys()) {
      if (!addresses.has(address)) {
        this.reachable.delete(address);
        this.down.delete(address);
      }
    }
  }

  private poolOf(node: Node): ServingPool {
    const url = this.config.urlOf(node);
    let pool = this.pools.get(url);
    if (!pool) {
      const config = { ...this.config, connectionString: url, Client: createClientClass(new Servers(url)) };
      pool = new ServingPool(config).on('error', this.onError).on('connect', (client) => {
        client.on('error', (error) => isReply(error) || this.noteSilence(addressOf(node), markLost(error)));
      });
      this.pools.set(url, pool);
    }
    return pool;
  }
}

const addressOf = ({ host, port }: Node): string => `${host}:${port}`;
