import { DataSource, type EntityManager, type QueryRunner, type ReplicationMode } from 'typeorm';
import type { IsolationLevel } from 'typeorm/driver/types/IsolationLevel.js';
import { comparedAccount } from './citus/routes.js';
import { isReply, markLost } from './errors.js';
import { inTurn } from './pool.js';

type Work<Result> = (transaction: EntityManager) => Promise<Result>;

/**
 * Marks the errors of transactions whose connection broke, and the errors of a BEGIN or COMMIT to which PostgreSQL did not
 * reply. After a loss, the error that TypeORM throws depends on the next call: it may say that the query runner was released,
 * or that no transaction was started.
 */
export class ServingDataSource extends DataSource {
  /**
   * A statement outside of a transaction takes the turn of the account that it is about. Those after it use the same connection,
   * so they must not wait for another turn.
   */
  override createQueryRunner(mode?: ReplicationMode): QueryRunner {
    const runner = super.createQueryRunner(mode);
    const query = runner.query.bind(runner) as (...sent: unknown[]) => Promise<unknown>;
    let hasConnection = false;
    const queryInTurn = (text: string, values?: unknown[], ...rest: unknown[]) => {
      const run = () => {
        hasConnection = true;
        return query(text, values, ...rest);
      };
      return runner.isTransactionActive || hasConnection
        ? run()
        : inTurn(this, comparedAccount(text, values ?? []), run);
    };
    return Object.assign(runner, { query: queryInTurn });
  }

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
