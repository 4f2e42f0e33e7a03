import pg, { type ClientBase, type PoolClient } from 'pg';
import { FairLimiter, type Patience } from '../process/fair-limiter.js';
import { CONNECT_TIMEOUT_MS, TimeLimitedClient } from './connections.js';
import { markLost, NoConnectionError } from './errors.js';

export const PATIENCE: Patience = {
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
  /**
   * Accounts take turns, so that many requests of one do not delay those of others. An account leaves one connection to them even
   * if all its statements wait for a lock.
   */
  readonly turns: FairLimiter;

  constructor(options?: pg.PoolConfig) {
    super(options);
    const { max } = this.options;
    this.turns = new FairLimiter(max, { maxOfOwner: Math.max(1, max - 1), patience: PATIENCE });
    this.on('release', (_error, client: ClientBase) => {
      if (client instanceof TimeLimitedClient && client.isReadOnly) {
        void client.end();
      }
    });
  }

  /** The number of statements and transactions that wait for a connection. */
  get waitingForConnection(): number {
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
