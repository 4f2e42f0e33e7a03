import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { IsIn, IsOptional } from 'class-validator';
import { CAUSE_MEANINGS, type Cause } from '../../ledger/cause.js';
import type { CauseDetails } from '../additions/causes.repository.js';
import type { SuppressionWithCauses } from '../suppressions.service.js';
import { SuppressionDto } from './suppression.dto.js';
import { enumOf } from '../../validation/enum-of.js';
import { nullableTimestamp, nullableUuid } from '../../http/properties.js';

const INCLUDES = ['causes'] as const;

export class IncludeDto {
  @ApiPropertyOptional({
    enum: INCLUDES,
    description: '`causes`: also return all causes of the suppression.',
  })
  @Expose()
  @IsOptional()
  @IsIn(INCLUDES, { message: 'must be causes' })
  include?: (typeof INCLUDES)[number];
}

@ApiSchema({ name: 'SuppressionCause' })
export class SuppressionCauseDto {
  @ApiProperty({ ...enumOf('', CAUSE_MEANINGS), example: 'bounce' })
  cause: Cause;

  @ApiProperty(nullableUuid('The id of the email that triggered it, if any.', null))
  source_id: string | null;

  @ApiProperty({
    format: 'date-time',
    description: 'When it happened, as far as that was reported; otherwise when it was recorded.',
    example: '2026-01-15T09:30:00.000Z',
  })
  since: string;

  @ApiProperty(nullableTimestamp('When it expires. Null if never.', null))
  expires_at: string | null;

  @ApiProperty({ type: String, nullable: true, example: '550 5.1.1 no such user' })
  note: string | null;

  constructor({ cause, emailId, since, expiresAt, note }: CauseDetails) {
    this.cause = cause;
    this.source_id = emailId;
    this.since = since.toISOString();
    this.expires_at = expiresAt?.toISOString() ?? null;
    this.note = note;
  }
}

@ApiSchema({ name: 'SuppressionWithCauses' })
export class SuppressionWithCausesDto extends SuppressionDto {
  @ApiPropertyOptional({
    description: 'All causes, the strongest first. Only with `include=causes`.',
    type: [SuppressionCauseDto],
  })
  causes?: SuppressionCauseDto[];

  constructor({ suppression, causes }: SuppressionWithCauses) {
    super(suppression);
    this.causes = causes.map((cause) => new SuppressionCauseDto(cause));
  }
}
