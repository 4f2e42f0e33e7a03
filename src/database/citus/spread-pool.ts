import { EventEmitter } from 'node:events';
import type { PoolClient, PoolConfig, QueryResult, QueryResultRow } from 'pg';
import { FairLimiter } from '../../process/fair-limiter.js';
import { withMark } from '../errors.js';
import { PATIENCE, ServingPool } from '../serving-pool.js';
import { BucketConnections, type Statement } from './bucket-connections.js';
import { Everywhere } from './everywhere.js';
import { Nodes } from './nodes.js';
import { routeOf } from './routes.js';
import { SpreadClient, toStatement } from './spread-client.js';
import type { Node, Topology } from './topology.js';

const FOLLOW_MS = 5_000;

export interface SpreadPoolConfig extends PoolConfig {
  topology: Topology;
}

/** The connections to the coordinator and to the nodes. Each statement goes straight to the node of its account. */
export class SpreadPool extends EventEmitter {
  readonly topology: Topology;
  readonly nodes: Nodes;
  readonly buckets: BucketConnections;
  private readonly coordinator: ServingPool;
  private readonly everywhere: Everywhere;
  /** Limits the connections to the coordinator that wait for a node, keyed by the node's group. */
  private readonly shares = new Map<number, FairLimiter>();
  /** Calls back when a connection to the coordinator is released. */
  private readonly released = new Map<PoolClient, () => void>();
  private readonly following = setInterval(() => void this.follow(), FOLLOW_MS).unref();

  constructor({ topology, ...config }: SpreadPoolConfig) {
    super();
    const onError = (error: Error) => void this.emit('error', error);
    const onDown = () => void topology.refresh().catch(() => undefined);
    this.topology = topology;
    this.nodes = new Nodes(config, onError, onDown);
    this.buckets = new BucketConnections(topology, this.nodes);
    this.everywhere = new Everywhere(this.buckets);
    this.coordinator = new ServingPool(config).on('error', onError).on('release', (_error, client) => {
      this.released.get(client)?.();
      this.released.delete(client);
    });
  }

  get totalCount(): number {
    return this.sum(({ totalCount }) => totalCount);
  }

  get idleCount(): number {
    return this.sum(({ idleCount }) => idleCount);
  }

  get waitingForConnection(): number {
    const forCoordinator = [...this.shares.values()].reduce((sum, { waitingCount }) => sum + waitingCount, 0);
    return forCoordinator + this.sum(({ waitingForConnection }) => waitingForConnection);
  }

  /** The turns at the node of an account, or at the coordinator. */
  turnsOf(accountId: number | undefined): FairLimiter {
    return accountId === undefined
      ? this.coordinator.turns
      : this.nodes.turnsAt(this.topology.bucketOf(accountId).node);
  }

  connect(): Promise<SpreadClient>;
  connect(callback: (error: Error | undefined, client: SpreadClient, release: () => void) => void): void;
  connect(
    callback?: (error: Error | undefined, client: SpreadClient, release: () => void) => void,
  ): Promise<SpreadClient> | void {
    const client = new SpreadClient(
      this.buckets,
      (statement) => this.run(statement),
      (node) => (node ? this.connectFor(node) : this.coordinator.connect()),
    );
    if (!callback) {
      return Promise.resolve(client);
    }
    callback(undefined, client, () => client.release());
  }

  /** Runs a statement alone. */
  query<Row extends QueryResultRow>(
    statement: string | Statement,
    values?: unknown[],
  ): Promise<QueryResult<Row>> {
    return this.run(toStatement(statement, values)) as Promise<QueryResult<Row>>;
  }

  /**
   * Runs each statement about an account in a transaction of its own.
   *
   * @param begin - called once a connection is there; returns what begins the transaction
   */
  transactionsOfOne(begin: () => string): Pick<SpreadPool, 'query'> {
    return {
      query: (statement, values) => this.run(toStatement(statement, values), begin) as Promise<never>,
    };
  }

  async end(callback?: (error?: Error) => void): Promise<void> {
    clearInterval(this.following);
    await Promise.all([this.coordinator.end(), this.nodes.end()]);
    callback?.();
  }

  private async run(statement: Statement, begin?: () => string): Promise<QueryResult> {
    const route = routeOf(statement.text, statement.name);
    switch (route.to) {
      case 'coordinator':
        return this.coordinator.query(statement).catch((error: unknown) => {
          throw withMark(error);
        });
      case 'account': {
        const accountId = Number(statement.values![route.parameter - 1]);
        return this.buckets.run(() => this.topology.bucketOf(accountId), statement, route.writes, begin);
      }
      case 'accounts':
      case 'all':
        return this.everywhere.run(statement, route);
      case 'session':
        throw new Error(`A statement needs a transaction: ${statement.text}`);
    }
  }

  /**
   * Returns a connection to the coordinator for a transaction that also needs a node. At most half of the connections wait for
   * one node, so that a slow node leaves the others to the accounts on other nodes.
   */
  private connectFor({ groupId }: Node): Promise<PoolClient> {
    const half = Math.ceil(this.coordinator.options.max / 2);
    const limiter = this.shares.get(groupId) ?? new FairLimiter(half, { patience: PATIENCE });
    this.shares.set(groupId, limiter);
    return new Promise((resolve, reject) => {
      const use = async () => {
        const connection = await this.coordinator.connect();
        const released = new Promise<void>((end) => this.released.set(connection, end));
        resolve(connection);
        await released;
      };
      limiter.run(use).catch(reject);
    });
  }

  /** Updates the addresses of nodes and the placement of shards. */
  private async follow(): Promise<void> {
    try {
      await this.topology.refresh();
      this.nodes.keep(this.topology.buckets.map(({ node }) => node));
    } catch {
      // The coordinator is down, so the known placement is kept.
    }
  }

  private sum(count: (pool: ServingPool) => number): number {
    return [this.coordinator, ...this.nodes.pools].reduce((sum, pool) => sum + count(pool), 0);
  }
}
