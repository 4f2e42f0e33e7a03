import type { EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';

/**
 * Inserts a row, unless another one has its unique values.
 *
 * @returns whether the row was inserted
 */
export async function insertUnlessTaken<Row extends ObjectLiteral>(
  transaction: EntityManager,
  entity: EntityTarget<Row>,
  row: QueryDeepPartialEntity<Row>,
): Promise<boolean> {
  const insert = transaction.createQueryBuilder().insert().into(entity).values(row);
  const { raw } = await insert.orIgnore().returning('true').execute();
  return (raw as object[]).length > 0;
}
