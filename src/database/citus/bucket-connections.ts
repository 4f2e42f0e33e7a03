import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseError, PoolClient, QueryResult } from 'pg';
import { socketOf } from '../connections.js';
import { withMark } from '../errors.js';
import type { Nodes } from './nodes.js';
import type { Bucket, Topology } from './topology.js';

/** SQLSTATE serialization_failure: the bucket is on another node. */
const MOVED = '40001';
const MOVE_POLL_MS = 20;
/** Less than a request may take. */
const MOVE_LIMIT_MS = 3_500;

export interface Statement {
  name?: string;
  text: string;
  values?: unknown[];
}

export interface Entered {
  connection: PoolClient;
  bucket: Bucket;
  /** Those of the first statements. */
  results: Promise<QueryResult>[];
}

/** Runs statements about the shards of a bucket, which Citus neither plans nor forwards. */
export class BucketConnections {
  constructor(
    readonly topology: Topology,
    readonly nodes: Nodes,
  ) {}

  /** Runs a statement about a bucket, in a transaction if it writes. */
  async run(
    bucketOf: () => Bucket,
    statement: Statement,
    writes: boolean,
    begin = () => 'BEGIN',
  ): Promise<QueryResult> {
    const { connection, results } = writes
      ? await this.enter(bucketOf, true, () => [begin()], [statement, { text: 'COMMIT' }])
      : await this.enter(bucketOf, false, () => [], [statement]);
    try {
      const [result] = await Promise.all(results);
      return result!;
    } catch (error) {
      throw withMark(error);
    } finally {
      connection.release();
    }
  }

  /** Runs a statement in several buckets of one node, if they are still there. */
  async runInAll(
    buckets: readonly Bucket[],
    statement: Statement,
  ): Promise<{ bucket: number; row: Record<string, unknown> }[]> {
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
      return rows.map(({ bucket, ...row }) => ({ bucket, row }));
    } catch (error) {
      throw withMark(error);
    } finally {
      connection.release();
    }
  }

  /**
   * Connects to the node of a bucket, which cannot move until the transaction ends. The first statements are sent with those
   * that begin it, since a lookup would wait for each answer longer than it takes itself. A read-only transaction enters its
   * bucket before its snapshot begins, so that it sees everything written on this node.
   *
   * @param begin - returns the statements that begin the transaction; if none, the bucket may move at once
   */
  async enter(
    bucketOf: () => Bucket,
    writes: boolean,
    begin: () => readonly string[],
    statements: readonly Statement[],
  ): Promise<Entered> {
    const end = performance.now() + MOVE_LIMIT_MS;
    for (;;) {
      const bucket = bucketOf();
      const connection = await this.nodes.connect(bucket.node);
      try {
        const enter = enterStatement(bucket, writes);
        const begun = begin().map((text) => ({ text }));
        const entering = writes ? [...begun, enter] : [enter, ...begun];
        const inside = statements.map((statement) => inBucket(statement, bucket));
        const sent = sendTogether(connection, [...entering, ...inside]);
        await Promise.all(sent.slice(0, entering.length));
        return { connection, bucket, results: sent.slice(entering.length) };
      } catch (error) {
        await connection.query('ROLLBACK').catch(() => undefined);
        connection.release();
        if ((error as DatabaseError).code !== MOVED || performance.now() > end) {
          throw withMark(error);
        }
      }
      await delay(MOVE_POLL_MS);
      await this.topology.refresh();
    }
  }
}

function enterStatement({ index, shardId }: Bucket, writes: boolean): Statement {
  return { name: 'enter-bucket', text: 'SELECT enter_bucket($1, $2, $3)', values: [index, shardId, writes] };
}

/** Sends statements in one packet. Their results need no handler. */
function sendTogether(connection: PoolClient, statements: readonly Statement[]): Promise<QueryResult>[] {
  const socket = socketOf(connection);
  socket.cork();
  const results = statements.map((statement) => connection.query(statement));
  socket.uncork();
  results.forEach((result) => void result.catch(() => undefined));
  return results;
}

/** The statement for the shards of a bucket. Each bucket has a name of its own for it. */
export function inBucket({ name, text, values }: Statement, { index, names }: Bucket): Statement {
  return {
    ...(name !== undefined && { name: `${name}/${index}` }),
    text: names.insertInto(text),
    ...(values && { values }),
  };
}

const together = new Map<string, { id: number; text: string }>();

/** The statement for the shards of several buckets, whose rows have the index of their bucket. */
function inBuckets({ name, text, values = [] }: Statement, buckets: readonly Bucket[]): Statement {
  const key = `${text} ${buckets.map(({ shardId }) => shardId).join()}`;
  let known = together.get(key);
  if (!known) {
    const parts = buckets.map(({ index, names }) => `in_${index} AS (${names.insertInto(text)})`);
    const selects = buckets.map(({ index }) => `SELECT ${index} AS bucket, in_${index}.* FROM in_${index}`);
    known = { id: together.size, text: `WITH ${parts.join(',\n')}\n${selects.join(' UNION ALL ')}` };
    together.set(key, known);
  }
  return { name: `${name}/all${known.id}`, text: known.text, values };
}
