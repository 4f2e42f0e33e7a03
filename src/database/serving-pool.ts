import pg, { type PoolClient } from 'pg';
import { markLost } from './lost-connections.js';

type Connected = (
  error: Error | undefined,
  client: PoolClient | undefined,
  release: (error?: boolean | Error) => void,
) => void;

/** A pool whose errors are marked: whatever is the reason, there is no connection. */
export class ServingPool extends pg.Pool {
  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | void {
    if (!callback) {
      return super.connect().catch((error: unknown) => {
        throw markLost(error);
      });
    }
    super.connect((error, client, release) => {
      markLost(error);
      callback(error, client, release);
    });
  }
}
