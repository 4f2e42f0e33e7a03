import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { LessThan, MoreThan, type FindOptionsWhere, type ObjectLiteral, type Repository } from 'typeorm';
import { IsWholeNumber, NotWith, OptionalParsed } from '../validation/field.decorators.js';
import { parseId } from '../validation/parsers.js';
import { ValidationError } from './errors/errors.js';
import { uuid } from './properties.js';

const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;

/** Documents the parameter `limit` of a list. */
export function limitWithDefault(defaultLimit: number): ApiPropertyOptions {
  const description = 'The maximum number of elements to return.';
  return { type: 'integer', description, minimum: 1, maximum: MAX_LIMIT, default: defaultLimit };
}

export class LimitDto {
  @ApiPropertyOptional(limitWithDefault(DEFAULT_LIMIT))
  @Expose()
  @IsWholeNumber(1, MAX_LIMIT)
  limit: number = DEFAULT_LIMIT;
}

export const InvalidLimit = ValidationError.withExample('limit', 'must be a whole number from 1 to 100');

/** A position in a list: after an element, before one, or the beginning. */
export interface Cursor {
  limit: number;
  after?: string;
  before?: string;
}

export class CursorDto extends LimitDto implements Cursor {
  @ApiPropertyOptional(uuid('Return the elements after the one with this id, which are older.'))
  @OptionalParsed(parseId)
  after?: string;

  @ApiPropertyOptional(
    uuid(
      'Return the elements before the one with this id, which are newer. Cannot be combined with `after`.',
    ),
  )
  @OptionalParsed(parseId)
  @NotWith('after')
  before?: string;
}

export class PageDto {
  @ApiProperty({ enum: ['list'], example: 'list' })
  object = 'list' as const;

  @ApiProperty({
    description: 'Whether another page follows (in the direction of `after` or `before`).',
    example: false,
  })
  has_more: boolean;

  constructor(hasMore: boolean) {
    this.has_more = hasMore;
  }
}

export interface Page<Element> {
  elements: Element[];
  hasMore: boolean;
}

/**
 * Makes the base of a page.
 *
 * @param dto - shows an element
 * @param description - of the order of the elements; null for none
 */
export function pageOf<Element, Dto extends object>(
  dto: new (element: Element) => Dto,
  description: string | null = 'Newest first.',
): new (page: Page<Element>) => PageDto & { data: Dto[] } {
  class PageOfDto extends PageDto {
    @ApiProperty({ ...(description !== null && { description }), type: [dto] })
    data: Dto[];

    constructor({ elements, hasMore }: Page<Element>) {
      super(hasMore);
      this.data = elements.map((element) => new dto(element));
    }
  }
  return PageOfDto;
}

/** @param rows - read with `limit + 1` */
export function toPage<Row>(rows: Row[], limit: number): Page<Row> {
  return { elements: rows.slice(0, limit), hasMore: rows.length > limit };
}

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
