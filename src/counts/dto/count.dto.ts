import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { FilterDto, toFilter } from '../../suppressions/dto/filter.dto.js';
import type { SuppressionFilter } from '../../suppressions/suppression-filter.js';
import { GROUPINGS, type CountedGroup, type Grouping } from '../counted-group.js';
import { MAX_DOMAINS, type Count } from '../counts.service.js';
import { enumOf } from '../../validation/enum-of.js';
import { OptionalOneOf } from '../../validation/field.decorators.js';

const GROUPING_MEANINGS: Readonly<Record<Grouping, string>> = {
  origin: 'one group for each origin',
  cause: 'one group for each cause; a suppression with several causes is counted under each',
  domain: `the ${MAX_DOMAINS} domains with the most suppressions`,
  day: 'one group for each day (UTC) on which suppressions were created',
  month: 'one group for each month (UTC), such as `2026-01`',
};

@ApiSchema({ name: 'CountQuery' })
export class CountQueryDto extends FilterDto {
  @ApiPropertyOptional({
    ...enumOf('Also return the count of each group.', GROUPING_MEANINGS),
  })
  @OptionalOneOf(GROUPINGS)
  group_by?: Grouping;

  toFilter(): SuppressionFilter {
    return toFilter(this);
  }
}

@ApiSchema({ name: 'CountedGroup' })
export class CountedGroupDto {
  @ApiProperty({ description: 'An origin, a cause, a domain, a day, or a month.' })
  key!: string;

  @ApiProperty({ type: 'integer' })
  count!: number;
}

@ApiSchema({ name: 'Count' })
export class CountDto {
  @ApiProperty({ enum: ['count'], example: 'count' })
  object = 'count' as const;

  @ApiProperty({ type: 'integer', description: 'The number of suppressions that match the filter.' })
  total: number;

  @ApiPropertyOptional({
    type: [CountedGroupDto],
    description: 'Only with `group_by`. Groups without a suppression are left out.',
  })
  groups?: CountedGroup[];

  constructor({ total, groups }: Count, isGrouped: boolean) {
    this.total = total;
    if (isGrouped) {
      this.groups = groups;
    }
  }
}
