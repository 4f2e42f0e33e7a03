import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Expose, Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

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
  @Type(() => Number)
  @IsInt({ message: 'must be a whole number from 1 to 100' })
  @Min(1, { message: 'must be a whole number from 1 to 100' })
  @Max(MAX_LIMIT, { message: 'must be a whole number from 1 to 100' })
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
