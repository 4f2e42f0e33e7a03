import { Injectable, Logger } from '@nestjs/common';
import { And, DataSource, IsNull, LessThanOrEqual, MoreThan, Not, type EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { inStep, transactionBefore } from '../../database/transaction.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { BackgroundTasks, Sweep } from '../../process/background-tasks.js';
import { PreferencesRepository } from '../../topics/preferences.repository.js';
import { TopicPreference } from '../../topics/topic.entity.js';
import { SourceTopic } from './source.entity.js';

const BATCH_SIZE = 1_000;
/** There is no index by topic, so a step reads a range of the primary key, whatever the topics of its preferences. */
const RANGE_SIZE = 10_000;

export type SourceTopicKey = Pick<SourceTopic, 'accountId' | 'sourceId' | 'unitKind' | 'unitName'>;

const FIND_MOVING = new PreparedStatement<SourceTopicKey>(
  'find-moving-opt-outs',
  `SELECT account_id AS "accountId", source_id AS "sourceId", unit_kind AS "unitKind", unit_name AS "unitName"
  FROM source_topics
  WHERE moving_from IS NOT NULL`,
);

/**
 * When a person maps a kind of mail for which the service had created a topic, this opts the recipients who left that topic out
 * of the mapped one. A move takes many short transactions; the sweep finishes one that was interrupted.
 */
@Injectable()
export class OptOutMovesService extends Sweep {
  private readonly logger = new Logger(OptOutMovesService.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly preferences: PreferencesRepository,
    tasks: BackgroundTasks,
  ) {
    super(tasks, { intervalMs: 60_000, failure: 'opt-outs were not moved to a mapped topic' });
  }

  protected async sweep(stopping: AbortSignal): Promise<void> {
    const moving = await FIND_MOVING.run(this.dataSource, []);
    await this.forEvery(moving, stopping, (key) => this.finish(key, () => stopping.aborted));
  }

  /** Leaves a move that fails to the next sweep. */
  async tryToFinish(key: SourceTopicKey, isStopped: () => boolean): Promise<void> {
    try {
      await this.finish(key, isStopped);
    } catch (error) {
      this.logger.warn({
        msg: 'could not move opt-outs to the mapped topic; the next run tries again',
        accountId: key.accountId,
        error: (error as Error).name,
      });
    }
  }

  /** Moves the remaining opt-outs until it is stopped. Instances that move the same opt-outs take turns. */
  async finish(key: SourceTopicKey, isStopped: () => boolean): Promise<void> {
    let isDone = false;
    while (!isDone && !isStopped()) {
      isDone = await transactionBefore(this.dataSource, inStep(key.accountId), async (transaction) => {
        const row = await lockMoving(key, transaction);
        if (!row) {
          return true;
        }
        const movedUpTo = await this.moveBatch(row, transaction);
        await transaction.update(
          SourceTopic,
          keyOf(row),
          movedUpTo === null ? { movingFrom: null, movedUpTo: '' } : { movedUpTo },
        );
        return movedUpTo === null;
      });
    }
  }

  /**
   * A recipient who joined the new topic after leaving the old one stays in the new one.
   *
   * @returns the last address of this step; null if there are no more
   */
  private async moveBatch(
    { accountId, sourceId, topicId, movingFrom, movedUpTo }: SourceTopic,
    transaction: EntityManager,
  ): Promise<EmailAddress | null> {
    const after = MoreThan(movedUpTo as EmailAddress);
    const [end] = await transaction.find(TopicPreference, {
      select: { email: true },
      where: { accountId, email: after },
      order: { email: 'ASC', topicId: 'ASC' },
      skip: RANGE_SIZE - 1,
      take: 1,
    });
    const batch = await transaction.find(TopicPreference, {
      where: {
        accountId,
        topicId: movingFrom!,
        subscription: 'opt_out',
        email: end ? And(after, LessThanOrEqual(end.email)) : after,
      },
      order: { email: 'ASC' },
      take: BATCH_SIZE,
    });
    const choices = batch.map((optOut) => ({
      email: optOut.email,
      topicId,
      subscription: 'opt_out' as const,
      emailId: optOut.emailId,
      occurredAt: null,
      eventId: null,
      note: 'The source was mapped to this topic.',
      leftAt: optOut.updatedAt,
    }));
    const [source] = (await transaction.query('SELECT name FROM sources WHERE account_id = $1 AND id = $2', [
      accountId,
      sourceId,
    ])) as { name: string }[];
    const actor = { type: 'source', id: sourceId, name: source!.name } as const;
    await this.preferences.set({ accountId, actor }, choices, { via: 'source', optIns: 'any' }, transaction);
    return batch.length < BATCH_SIZE ? (end?.email ?? null) : batch.at(-1)!.email;
  }
}

/** Deliveries that are about this kind of mail wait, and so do other moves of the same opt-outs. */
function lockMoving(key: SourceTopicKey, transaction: EntityManager): Promise<SourceTopic | null> {
  return transaction.findOne(SourceTopic, {
    where: { ...keyOf(key), movingFrom: Not(IsNull()) },
    lock: { mode: 'pessimistic_write' },
  });
}

function keyOf({ accountId, sourceId, unitKind, unitName }: SourceTopicKey): SourceTopicKey {
  return { accountId, sourceId, unitKind, unitName };
}
