import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { IsWholeNumber } from '../validation/whole-number.decorator.js';

const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;

/** How long a page of a list may be. */
export class LimitDto {
  @ApiPropertyOptional({
    type: 'integer',
    description: 'The most elements to return.',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
  })
  @Expose()
  @IsWholeNumber(1, MAX_LIMIT)
  limit: number = DEFAULT_LIMIT;
}

/** What every page of a list has beside its data. */
export class PageDto {
  @ApiProperty({ enum: ['list'], example: 'list' })
  object = 'list' as const;

  @ApiProperty({
    description: 'Whether there are more elements in the direction of reading.',
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

/** Makes a page of rows that were read with a limit of one more than the page may have. */
export function toPage<Row>(rows: Row[], limit: number): Page<Row> {
  return { elements: rows.slice(0, limit), hasMore: rows.length > limit };
}
