import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { CauseCounts, Summary } from '../counts.service.js';
import type { CountedGroup } from '../counted-group.js';
import { CountedGroupDto } from './count.dto.js';

@ApiSchema({ name: 'CauseCounts' })
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

@ApiSchema({ name: 'SummarizedDay' })
export class SummarizedDayDto extends CauseCountsDto {
  @ApiProperty({ format: 'date' })
  day!: string;
}

@ApiSchema({ name: 'Summary' })
export class SummaryDto {
  @ApiProperty({ enum: ['summary'], example: 'summary' })
  object = 'summary' as const;

  @ApiProperty({ type: 'integer', description: 'The number of suppressions.' })
  total: number;

  @ApiProperty({
    type: CauseCountsDto,
    description: 'A suppression with several causes is counted under each.',
  })
  causes: CauseCounts;

  @ApiProperty({
    type: [SummarizedDayDto],
    description:
      'The suppressions of the list by the day of their `created_at`, which an import takes from the file: the last 30 days in UTC, ' +
      'the oldest first.',
  })
  days: Summary['days'];

  @ApiProperty({ type: [CountedGroupDto], description: 'The ten domains with the most suppressions.' })
  domains: CountedGroup[];

  constructor({ total, causes, days, domains }: Summary) {
    this.total = total;
    this.causes = causes;
    this.days = days;
    this.domains = domains;
  }
}
