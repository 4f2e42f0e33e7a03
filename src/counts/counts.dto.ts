import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { enumOf } from '../http/properties.js';
import { FilterDto, toFilter } from '../suppressions/dto/list.dto.js';
import type { SuppressionFilter } from '../suppressions/suppression-filter.js';
import { OptionalOneOf } from '../validation/field.decorators.js';
import {
  GROUPINGS,
  MAX_DOMAINS,
  type CauseCounts,
  type CountedGroup,
  type Grouping,
  type Summary,
} from './counts.service.js';

const GROUPING_MEANINGS: Readonly<Record<Grouping, string>> = {
  origin: 'one group for each origin',
  cause: 'one group for each cause; a suppression with several causes is counted under each',
  domain: `the ${MAX_DOMAINS.toLocaleString('en')} domains with the most suppressions`,
  day: 'one group for each day (UTC) on which suppressions were created',
  month: 'one group for each month (UTC), such as `2026-01`',
};

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

class CountedGroupDto {
  @ApiProperty({ description: 'An origin, a cause, a domain, a day, or a month.' })
  key!: string;

  @ApiProperty({ type: 'integer' })
  count!: number;
}

export class CountDto {
  @ApiProperty({ enum: ['count'], example: 'count' })
  object!: 'count';

  @ApiProperty({ type: 'integer', description: 'The number of suppressions that match the filter.' })
  total!: number;

  @ApiPropertyOptional({
    type: [CountedGroupDto],
    description: 'Only with `group_by`. Groups without a suppression are left out.',
  })
  groups?: CountedGroup[];
}

export class CauseCountsDto implements CauseCounts {
  @ApiProperty({ type: 'integer' })
  bounce!: number;

  @ApiProperty({ type: 'integer' })
  manual!: number;

  @ApiProperty({ type: 'integer' })
  unsubscribe!: number;

  @ApiProperty({ type: 'integer' })
  complaint!: number;
}

export class SummarizedDayDto extends CauseCountsDto {
  @ApiProperty({ format: 'date' })
  day!: string;
}

export class SummaryDto implements Summary {
  @ApiProperty({ enum: ['summary'], example: 'summary' })
  object!: 'summary';

  @ApiProperty({ type: 'integer', description: 'The number of suppressions.' })
  total!: number;

  @ApiProperty({
    type: CauseCountsDto,
    description: 'A suppression with several causes is counted under each.',
  })
  causes!: CauseCounts;

  @ApiProperty({
    type: [SummarizedDayDto],
    description:
      'The suppressions of the list by the day of their `created_at`, which an import takes from the file: the last 30 days in UTC, ' +
      'the oldest first.',
  })
  days!: Summary['days'];

  @ApiProperty({ type: [CountedGroupDto], description: 'The ten domains with the most suppressions.' })
  domains!: CountedGroup[];
}
