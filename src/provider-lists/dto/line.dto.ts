import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { parseEmailInQuery, type EmailAddress } from '../../email-address/email-address.js';
import { LimitDto, pageOf, type Page } from '../../http/page.js';
import { enumOf, nullableText, nullableTimestamp, text } from '../../http/properties.js';
import { CAUSE_MEANINGS, type Cause } from '../../ledger/cause.js';
import { OptionalOneOf, OptionalParsed } from '../../validation/field.decorators.js';
import { parseCursor, writeCursor, type RowKey } from '../row-key.js';
import { LINE_KIND_MEANINGS, LINE_KINDS, LINE_REASONS, type LineKind } from '../plans/line-kinds.js';
import type { FoundLine } from '../plans/lines.repository.js';

@ApiSchema({ name: 'ProviderListLinesQuery' })
export class ListLinesDto extends LimitDto {
  @ApiPropertyOptional(enumOf('', LINE_KIND_MEANINGS))
  @OptionalOneOf(LINE_KINDS)
  kind?: LineKind;

  @ApiPropertyOptional(text('Only lines about this address.'))
  @OptionalParsed(parseEmailInQuery)
  email?: EmailAddress;

  @ApiPropertyOptional(text('The `cursor` of the previous page.'))
  @OptionalParsed((input) => parseCursor(input, LINE_KINDS))
  after?: RowKey;
}

@ApiSchema({ name: 'ProviderListLine' })
export class LineDto {
  @ApiProperty(
    text(
      "As the provider spells it; in its normal form if only this service's list has it.",
      'ada@example.com',
    ),
  )
  email: string;

  @ApiProperty({ ...enumOf('', LINE_KIND_MEANINGS), example: 'pull' })
  kind: LineKind;

  @ApiProperty(
    nullableText("The provider's name of the list that has, or could have, the address.", 'bounces'),
  )
  list: string | null;

  @ApiProperty({ ...enumOf('', CAUSE_MEANINGS), nullable: true, example: 'bounce' })
  cause: Cause | null;

  @ApiProperty(
    nullableTimestamp(
      'When the address was listed: by the provider, or here if the provider does not have it.',
      '2026-01-15T09:30:00.000Z',
    ),
  )
  listed_at: string | null;

  @ApiProperty(nullableText('Why it is of this kind, or what applying the plan adds.', null))
  reason: string | null;

  constructor({ email, address, kind, list, cause, listedAt, reason }: FoundLine) {
    this.email = address || email;
    this.kind = kind;
    this.list = list || null;
    this.cause = cause;
    this.listed_at = listedAt?.toISOString() ?? null;
    this.reason = reason && (LINE_REASONS[reason] ?? 'The entry cannot be read.');
  }
}

@ApiSchema({ name: 'ProviderListLinesPage' })
export class LinesPageDto extends pageOf(LineDto, 'By kind and address.') {
  @ApiProperty(nullableText('Where the next page begins; null after the last one.', null))
  cursor: string | null;

  constructor(page: Page<FoundLine>) {
    super(page);
    this.cursor = page.hasMore ? lineCursor(page.elements.at(-1)!) : null;
  }
}

export function lineCursor({ kind, email, list, address }: FoundLine): string {
  return writeCursor(kind, email, list, address);
}
