import pg, { type ClientBase, type PoolClient } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import type { IsolationLevel } from 'typeorm/driver/types/IsolationLevel.js';
import { FairLimiter, type FairLimiterOptions } from '../process/fair-limiter.js';
import { CONNECT_TIMEOUT_MS, TimeLimitedClient } from './connections.js';
import { isReply, markLost, NoConnectionError } from './errors.js';

/** The share of the connections that an account may use. The others serve other accounts if it waits for a lock. */
const SHARE_OF_ACCOUNT = 0.8;

export const PATIENCE: FairLimiterOptions['patience'] = {
  ms: CONNECT_TIMEOUT_MS,
  createError: () => markLost(new NoConnectionError()) as Error,
};

type Connected = (
  error: Error | undefined,
  client: PoolClient | undefined,
  release: (error?: boolean | Error) => void,
) => void;

/**
 * A pool that marks its errors as lost connections: whatever the reason, there is no connection. It closes the connection of a
 * read-only session, which may stay read-only when the database no longer is: a session keeps the `default_transaction_read_only`
 * that its role or database had when it began.
 */
export class ServingPool extends pg.Pool {
  /** Accounts take turns, so that many requests of one do not delay those of others. */
  readonly turns: FairLimiter;

  constructor(options?: pg.PoolConfig) {
    super(options);
    const { max } = this.options;
    this.turns = new FairLimiter(max, { maxOfOwner: Math.ceil(max * SHARE_OF_ACCOUNT), patience: PATIENCE });
    this.on('release', (_error, client: ClientBase) => {
      if (client instanceof TimeLimitedClient && client.isReadOnly) {
        void client.end();
      }
    });
  }

  /** How much work waits for a connection. */
  get waiting(): number {
    return this.waitingCount + this.turns.waitingCount;
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | void {
    if (!callback) {
      return super.connect().catch((error: unknown) => {
        throw markLost(error);
      });
    }
    super.connect((error, client, release) => {
      callback(error && (markLost(error) as Error), client, release);
    });
  }
}

type Work<Result> = (transaction: EntityManager) => Promise<Result>;

/**
 * Marks the errors of transactions whose connection broke, and the errors of a BEGIN or COMMIT to which PostgreSQL did not
 * reply. After a loss, the error that TypeORM throws depends on the next call: it may say that the query runner was released,
 * or that no transaction was started.
 */
export class ServingDataSource extends DataSource {
  override async transaction<Result>(
    ...args: [work: Work<Result>] | [isolation: IsolationLevel, work: Work<Result>]
  ): Promise<Result> {
    const work = args.length === 1 ? args[0] : args[1];
    let failure: unknown;
    const watched: Work<Result> = async (transaction) => {
      try {
        return await work(transaction);
      } catch (error) {
        failure = error;
        throw transaction.queryRunner!.isReleased ? markLost(error) : error;
      }
    };
    try {
      return await (args.length === 1 ? super.transaction(watched) : super.transaction(args[0], watched));
    } catch (error) {
      throw error === failure || isReply(error) ? error : markLost(error);
    }
  }
}
