import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseError, PoolClient, PoolConfig, QueryResult, QueryResultRow } from 'pg';
import { ServingPool } from '../serving-data-source.js';
import { CoordinatorShares } from './coordinator-shares.js';
import { runEverywhere } from './everywhere.js';
import { NodePools } from './node-pools.js';
import { routeOf } from './routes.js';
import { SpreadClient } from './spread-client.js';
import { inBucket, inBuckets, lost, rethrowLost, toStatement, type Statement } from './statements.js';
import type { Bucket, Node, Topology } from './topology.js';

/** SQLSTATE serialization_failure: the bucket is on another node. */
const MOVED = '40001';
const MOVE_POLL_MS = 20;
/** Less than a request may take. */
const MOVE_LIMIT_MS = 3_500;
const FOLLOW_MS = 5_000;

export interface SpreadPoolConfig extends PoolConfig {
  topology: Topology;
  /** The URL of a node. */
  urlOf(node: Node): string;
}

/**
 * The connections to the coordinator and to the nodes. Each statement goes straight to the node of its account, as a statement
 * about its shards: Citus neither plans nor forwards it.
 */
export class SpreadPool extends EventEmitter {
  readonly topology: Topology;
  readonly coordinator: ServingPool;
  readonly nodes: NodePools;
  readonly shares: CoordinatorShares;
  private readonly following: NodeJS.Timeout;

  constructor(config: SpreadPoolConfig) {
    super();
    this.topology = config.topology;
    const onError = (error: Error) => void this.emit('error', error);
    this.coordinator = new ServingPool(config).on('error', onError);
    this.nodes = new NodePools(config, onError);
    this.shares = new CoordinatorShares(this.coordinator.options.max);
    this.following = setInterval(() => void this.follow(), FOLLOW_MS).unref();
  }

  get totalCount(): number {
    return this.sum(({ totalCount }) => totalCount);
  }

  get idleCount(): number {
    return this.sum(({ idleCount }) => idleCount);
  }

  get waitingCount(): number {
    return this.sum(({ waitingCount }) => waitingCount);
  }

  connect(): Promise<SpreadClient>;
  connect(callback: (error: Error | undefined, client: SpreadClient, release: () => void) => void): void;
  connect(
    callback?: (error: Error | undefined, client: SpreadClient, release: () => void) => void,
  ): Promise<SpreadClient> | void {
    const client = new SpreadClient(this);
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

  async end(callback?: (error?: Error) => void): Promise<void> {
    clearInterval(this.following);
    await Promise.all([this.coordinator.end(), this.nodes.end()]);
    callback?.();
  }

  /** Runs a statement about an account, in a transaction if it writes. */
  async runIn(bucketOf: () => Bucket, statement: Statement, writes: boolean): Promise<QueryResult> {
    const client = await this.enter(bucketOf, writes, writes ? ['BEGIN'] : []);
    try {
      const ran = client.connection.query(inBucket(statement, client.bucket));
      if (!writes) {
        return await ran;
      }
      const committed = client.connection.query('COMMIT');
      const [result] = await Promise.all([ran, committed]);
      return result;
    } catch (error) {
      throw lost(error);
    } finally {
      client.connection.release();
    }
  }

  /** Runs a statement in buckets of one node, if they are there. The rows have the index of their bucket. */
  async runInAll(buckets: readonly Bucket[], statement: Statement): Promise<{ bucket: number }[]> {
    const connection = await this.nodes.connect(buckets[0]!.node);
    try {
      const [, , { rows }] = await Promise.all([
        connection.query('BEGIN'),
        connection.query({
          name: 'enter-buckets',
          text: 'SELECT enter_bucket(bucket, shard, false) FROM unnest($1::integer[], $2::bigint[]) AS entered (bucket, shard)',
          values: [buckets.map(({ index }) => index), buckets.map(({ shardId }) => shardId)],
        }),
        connection.query<{ bucket: number }>(inBuckets(statement, buckets)),
        connection.query('COMMIT'),
      ]);
      return rows;
    } catch (error) {
      throw lost(error);
    } finally {
      connection.release();
    }
  }

  /**
   * A connection to the node of a bucket, which cannot move until the transaction ends.
   *
   * @param begin - statements that begin the transaction; if none, the bucket may move at once
   */
  async enter(
    bucketOf: () => Bucket,
    writes: boolean,
    begin: readonly string[],
  ): Promise<{ connection: PoolClient; bucket: Bucket }> {
    const end = performance.now() + MOVE_LIMIT_MS;
    for (;;) {
      const bucket = bucketOf();
      const connection = await this.nodes.connect(bucket.node);
      try {
        await Promise.all([
          ...begin.map((text) => connection.query(text)),
          connection.query({
            name: 'enter-bucket',
            text: 'SELECT enter_bucket($1, $2, $3)',
            values: [bucket.index, bucket.shardId, writes],
          }),
        ]);
        return { connection, bucket };
      } catch (error) {
        await connection.query('ROLLBACK').catch(() => undefined);
        connection.release();
        if ((error as DatabaseError).code !== MOVED || performance.now() > end) {
          throw lost(error);
        }
      }
      await delay(MOVE_POLL_MS);
      await this.topology.refresh();
      if (performance.now() > end) {
        throw lost(new Error('the node of an account was not found in time'));
      }
    }
  }

  private async run(statement: Statement): Promise<QueryResult> {
    const route = routeOf(statement.text, statement.name);
    switch (route.to) {
      case 'coordinator':
        return this.coordinator.query(statement).catch(rethrowLost);
      case 'account': {
        const accountId = Number(statement.values![route.parameter - 1]);
        return this.runIn(() => this.topology.bucketOf(accountId), statement, route.writes);
      }
      case 'accounts':
      case 'all':
        return runEverywhere(this, statement, route);
      case 'session':
        throw new Error(`A statement needs a transaction: ${statement.text}`);
    }
  }

  /** Learns that a node has another address, or that shards are elsewhere. */
  private async follow(): Promise<void> {
    try {
      await this.topology.refresh();
      this.nodes.keep(this.topology.buckets.map(({ node }) => node));
    } catch {
      // The coordinator is down: what is known about the nodes remains.
    }
  }

  private pools(): ServingPool[] {
    return [this.coordinator, ...this.nodes.all];
  }

  private sum(count: (pool: ServingPool) => number): number {
    return this.pools().reduce((sum, pool) => sum + count(pool), 0);
  }
}
