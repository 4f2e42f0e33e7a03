import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { IsOptional } from 'class-validator';
import { LimitDto, PageDto, type Page } from '../../http/page.js';
import { IsParsed, Parse } from '../../validation/parse.decorator.js';
import type { SuppressionChange } from '../../ledger/suppression-change.entity.js';
import { parseId } from '../../validation/id.js';
import { ChangeDto } from './change.dto.js';

export class HistoryDto extends LimitDto {
  @ApiPropertyOptional({
    type: String,
    format: 'uuid',
    description: 'Return the changes after the one with this id, which are older.',
  })
  @Expose()
  @Parse(parseId)
  @IsOptional()
  @IsParsed('isId', 'must be an id')
  after?: string;
}

@ApiSchema({ name: 'HistoryPage' })
export class HistoryPageDto extends PageDto {
  @ApiProperty({
    description:
      'In the order in which they were recorded, the last one first. `occurred_at` says what happened when.',
    type: [ChangeDto],
  })
  data: ChangeDto[];

  constructor({ elements, hasMore }: Page<SuppressionChange>) {
    super(hasMore);
    this.data = elements.map((change) => new ChangeDto(change));
  }
}
