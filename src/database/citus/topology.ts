import { Client } from 'pg';
import { markLost } from '../unavailable.js';
import { hashAccount } from './account-hash.js';
import { ShardNames } from './shard-text.js';
import { COPIES, LEADING_TABLE, tablesOf } from './tables.js';

/** A share of the accounts, whose rows are all on one node. */
export interface Bucket {
  index: number;
  /** The id of its shard of {@link LEADING_TABLE}, whose lock and place stand for the others. */
  shardId: string;
  node: Node;
  names: ShardNames;
}

export interface Node {
  groupId: number;
  host: string;
  port: number;
}

interface Placement {
  /** The highest hash of an account in each bucket, ascending. */
  lastHashes: number[];
  buckets: Bucket[];
}

interface ShardRow {
  table: string;
  shardId: string;
  maxHash: number;
  groupId: number;
  host: string;
  port: number;
}

const SHARDS = `
  SELECT
    logicalrelid::text AS "table",
    shardid AS "shardId",
    shardmaxvalue::integer AS "maxHash",
    node.groupid AS "groupId",
    nodename AS host,
    nodeport AS port
  FROM pg_dist_shard
  JOIN pg_dist_placement USING (shardid)
  JOIN pg_dist_node AS node ON node.groupid = pg_dist_placement.groupid AND noderole = 'primary'
  WHERE logicalrelid::text = ANY ($1)
  ORDER BY shardmaxvalue::integer, logicalrelid::text, node.groupid`;

/** How often it may be read again. */
const MIN_AGE_MS = 200;

/** Where the shards are: read at start, and again whenever a node says that a shard is not there. */
export class Topology {
  private current!: Placement;
  private readAt = 0;
  private reading?: Promise<void> | undefined;

  private constructor(private readonly connect: () => Promise<Client>) {}

  static async read(connect: () => Promise<Client>): Promise<Topology> {
    const topology = new Topology(connect);
    await topology.readAgain();
    return topology;
  }

  get buckets(): readonly Bucket[] {
    return this.current.buckets;
  }

  bucketOf(accountId: number): Bucket {
    const hash = hashAccount(accountId);
    return this.current.buckets[this.current.lastHashes.findIndex((last) => hash <= last)]!;
  }

  /** Reads it again, unless that happened a moment ago. */
  async refresh(): Promise<void> {
    if (performance.now() < this.readAt + MIN_AGE_MS) {
      return;
    }
    this.reading ??= this.readAgain().finally(() => {
      this.reading = undefined;
    });
    await this.reading;
  }

  private async readAgain(): Promise<void> {
    const client = await this.connect();
    try {
      const { rows } = await client.query<ShardRow>(SHARDS, [
        [...tablesOf('distributed'), ...COPIES.map(({ copies }) => copies)],
      ]);
      this.current = toPlacement(rows, this.current);
      this.readAt = performance.now();
    } finally {
      await client.end();
    }
  }
}

/**
 * Moves change no names, so the texts that were made of them remain.
 *
 * @throws {Error} marked as that of a lost connection if the shards are others than before
 */
function toPlacement(rows: ShardRow[], previous: Placement | undefined): Placement {
  const lastHashes = [...new Set(rows.map(({ maxHash }) => maxHash))];
  const buckets = lastHashes.map((last, index): Bucket => {
    const shards = rows.filter(({ maxHash }) => maxHash === last);
    const { shardId, groupId, host, port } = shards.find(({ table }) => table === LEADING_TABLE)!;
    const names = previous?.buckets[index]?.names ?? namesOf(shards);
    return { index, shardId, node: { groupId, host, port }, names };
  });
  if (previous && identityOf(buckets, lastHashes) !== identityOf(previous.buckets, previous.lastHashes)) {
    throw markLost(new Error('the shards of the database are others than at start, which is not supported'));
  }
  return { lastHashes, buckets };
}

const identityOf = (buckets: readonly Bucket[], lastHashes: readonly number[]): string =>
  [...lastHashes, ...buckets.map(({ shardId }) => shardId)].join();

const namesOf = (shards: ShardRow[]): ShardNames =>
  new ShardNames(
    new Map(shards.map(({ table, shardId }) => [originalOf(table) ?? table, `${table}_${shardId}`])),
  );

const originalOf = (table: string): string | undefined =>
  COPIES.find(({ copies }) => copies === table)?.table;
