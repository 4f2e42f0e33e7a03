import { LessThan, MoreThan, type FindOptionsWhere, type ObjectLiteral, type Repository } from 'typeorm';
import { toPage, type Cursor, type Page } from './page.js';

/**
 * Reads a page of rows whose ids are UUIDv7, newest first.
 *
 * @param where - alternatives, each with the account
 */
export async function findPage<Row extends ObjectLiteral & { accountId: number; id: string }>(
  rows: Repository<Row>,
  where: FindOptionsWhere<Row>[],
  { limit, after, before }: Cursor,
): Promise<Page<Row>> {
  const cursor = { ...(after && { id: LessThan(after) }), ...(before && { id: MoreThan(before) }) };
  const found = await rows.find({
    where: where.map((condition) => ({ ...condition, ...cursor })),
    order: { id: before ? 'ASC' : 'DESC' } as object,
    take: limit + 1,
  });
  const page = toPage(found, limit);
  return before ? { ...page, elements: page.elements.toReversed() } : page;
}
