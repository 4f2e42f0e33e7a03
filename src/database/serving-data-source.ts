import { DataSource, type EntityManager } from 'typeorm';
import type { IsolationLevel } from 'typeorm/driver/types/IsolationLevel.js';
import { isReply } from './is-database-unavailable.js';
import { markLost } from './lost-connections.js';

type Work<Result> = (transaction: EntityManager) => Promise<Result>;

/**
 * Marks the errors of transactions whose connection broke, and those of BEGIN and COMMIT to which PostgreSQL did not reply. What
 * TypeORM throws after a loss depends on what is done next: that a query runner is released, or that no transaction was started.
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
