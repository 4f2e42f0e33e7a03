import type { EntityManager } from 'typeorm';
import type { Source } from './source.entity.js';

/** One transaction at a time changes the topics of a source. */
export async function lockTopics({ accountId, id }: Source, transaction: EntityManager): Promise<void> {
  await transaction.query('SELECT FROM sources WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE', [
    accountId,
    id,
  ]);
}
