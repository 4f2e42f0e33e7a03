import { IsNull, Not, type EntityManager } from 'typeorm';
import { InvalidSourceError } from './errors.js';
import { SourceTopic } from './source-topic.entity.js';
import type { Source } from './source.entity.js';

type SourceKey = Pick<Source, 'accountId' | 'id'>;

/** One transaction at a time changes the topics of a source. */
export async function lockTopics({ accountId, id }: SourceKey, transaction: EntityManager): Promise<void> {
  await transaction.query('SELECT FROM sources WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE', [
    accountId,
    id,
  ]);
}

/**
 * No move begins before the transaction ends.
 *
 * @throws {InvalidSourceError} while opt-outs move, which only the mapping of the source knows
 */
export async function requireNoMoves(source: SourceKey, transaction: EntityManager): Promise<void> {
  await lockTopics(source, transaction);
  const { accountId, id: sourceId } = source;
  if (await transaction.existsBy(SourceTopic, { accountId, sourceId, movingFrom: Not(IsNull()) })) {
    throw new InvalidSourceError(
      'Opt-outs are still moving to a topic of this source. The source is paused; try to delete it again in a minute.',
    );
  }
}
