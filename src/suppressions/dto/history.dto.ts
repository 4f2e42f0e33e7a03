import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { LimitDto, pageOf } from '../../http/page.js';
import { parseId } from '../../validation/id.js';
import { ChangeDto } from './change.dto.js';
import { OptionalParsed } from '../../validation/field.decorators.js';
import { uuid } from '../../http/properties.js';

export class HistoryDto extends LimitDto {
  @ApiPropertyOptional(uuid('Return the changes after the one with this id, which are older.'))
  @OptionalParsed(parseId)
  after?: string;
}

@ApiSchema({ name: 'HistoryPage' })
export class HistoryPageDto extends pageOf(
  ChangeDto,
  'In the order in which they were recorded, the last one first. `occurred_at` says what happened when.',
) {}
