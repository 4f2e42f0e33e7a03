import { urlsOfHosts } from '../../config/database-url.js';
import { toUrl } from '../../process/to-url.js';
import { withMigrationClient } from '../connections.js';
import { DatabaseError, markLost } from '../errors.js';
import { Servers } from '../servers.js';
import { hashAccount } from './account-hash.js';
import { ShardNames } from './shard-text.js';
import { COPIES, LEADING_TABLE, tablesOf } from './tables.js';

/** A share of the accounts, whose rows are all on one node. */
export interface Bucket {
  index: number;
  /** The id of its shard of {@link LEADING_TABLE}. The lock and the placement of this shard apply to the others. */
  shardId: string;
  /** The highest hash of an account in the bucket. */
  lastHash: number;
  node: Node;
  names: ShardNames;
}

export interface Node {
  groupId: number;
  host: string;
  port: number;
  /** The URL of the coordinator, with another host. */
  url: string;
}

interface ShardRow extends Omit<Node, 'url'> {
  table: string;
  shardId: string;
  lastHash: number;
}

const SHARDS = `
  SELECT
    logicalrelid::text AS "table",
    shardid AS "shardId",
    shardmaxvalue::integer AS "lastHash",
    node.groupid AS "groupId",
    nodename AS host,
    nodeport AS port
  FROM pg_dist_shard
  JOIN pg_dist_placement USING (shardid)
  JOIN pg_dist_node AS node ON node.groupid = pg_dist_placement.groupid AND noderole = 'primary'
  WHERE logicalrelid::text = ANY ($1)
  ORDER BY shardmaxvalue::integer, logicalrelid::text, node.groupid`;

/** The shortest time between two reads. */
const MIN_AGE_MS = 200;
const TIME_LIMITS = { connectionTimeoutMillis: 3_000, query_timeout: 3_000 };

/** The placement of shards. It is read at start, and again whenever a node reports that a shard is not there. */
export class Topology {
  /** The buckets, sorted by hash. */
  private current: Bucket[] = [];
  private readAt = 0;
  private reading?: Promise<void> | undefined;
  private readonly servers: Servers;

  private constructor(private readonly url: string) {
    this.servers = new Servers(url);
  }

  /** @param url - the URL of the coordinator */
  static async read(url: string): Promise<Topology> {
    const topology = new Topology(url);
    await topology.readAgain();
    return topology;
  }

  get buckets(): readonly Bucket[] {
    return this.current;
  }

  bucketOf(accountId: number): Bucket {
    const hash = hashAccount(accountId);
    return this.current.find(({ lastHash }) => hash <= lastHash)!;
  }

  /** Reads the placement again, unless it was read a moment ago. */
  async refresh(): Promise<void> {
    if (performance.now() < this.readAt + MIN_AGE_MS) {
      return;
    }
    this.reading ??= this.readAgain().finally(() => {
      this.reading = undefined;
    });
    await this.reading;
  }

  /**
   * Moves do not change the names of shards, so their statements are reused.
   *
   * @throws {Error} marked as caused by a lost connection, if the shards differ from the previous ones
   */
  private async readAgain(): Promise<void> {
    const rows = await this.readShards();
    const previous = this.current;
    const leading = rows.filter(({ table }) => table === LEADING_TABLE);
    const buckets = leading.map(({ shardId, lastHash, ...node }, index): Bucket => {
      const names = previous[index]?.names ?? namesOf(rows.filter((row) => row.lastHash === lastHash));
      return { index, shardId, lastHash, node: { ...node, url: urlOfNode(this.url, node) }, names };
    });
    if (previous.length > 0 && shardsOf(buckets) !== shardsOf(previous)) {
      throw markLost(
        new Error('the shards of the database are others than at start, which is not supported'),
      );
    }
    this.current = buckets;
    this.readAt = performance.now();
  }

  private async readShards(): Promise<ShardRow[]> {
    const connectionString = await this.servers.findWritable();
    const tables = [...tablesOf('distributed'), ...COPIES.map(({ copies }) => copies)];
    const { rows } = await withMigrationClient({ connectionString, ...TIME_LIMITS }, (client) =>
      client.query<ShardRow>(SHARDS, [tables]),
    );
    return rows;
  }
}

const shardsOf = (buckets: readonly Bucket[]): string =>
  buckets.map(({ shardId, lastHash }) => `${shardId} ${lastHash}`).join();

const namesOf = (shards: ShardRow[]): ShardNames =>
  new ShardNames(
    new Map(shards.map(({ table, shardId }) => [originalOf(table) ?? table, `${table}_${shardId}`])),
  );

const originalOf = (table: string): string | undefined =>
  COPIES.find(({ copies }) => copies === table)?.table;

function urlOfNode(url: string, { groupId, host, port }: Omit<Node, 'url'>): string {
  if (groupId === 0) {
    return url;
  }
  const [first] = urlsOfHosts(url);
  const node = toUrl(first!);
  if (!node || host.includes(':')) {
    throw new DatabaseError(
      'With Citus, DATABASE_URL must name a host, and its nodes must have host names or IPv4 addresses. See docs/scale-out.md.',
    );
  }
  node.hostname = host;
  node.port = String(port);
  node.searchParams.delete('host');
  return node.href;
}
