import { ApiProperty, ApiPropertyOptional, ApiSchema, PickType } from '@nestjs/swagger';
import { nullableText } from '../../http/properties.js';
import { isPseudonym } from '../../pseudonyms/pseudonym.js';
import { OptionalParsed, Parsed } from '../../validation/field.decorators.js';
import { Invalid } from '../../validation/parsers.js';
import { RejectUnknownFields } from '../../validation/unknown-fields.js';
import { isAddressCursor, type AddressCursor } from './address-pages.repository.js';
import { ErasureDto } from './erasure.dto.js';
import type { RepeatedReceipt, Repetition } from './repeats.service.js';

const MAX_RECEIPTS = 500;

function parseReceipts(input: unknown): RepeatedReceipt[] | Invalid {
  if (!Array.isArray(input) || input.length === 0 || input.length > MAX_RECEIPTS) {
    return new Invalid(`must be an array of 1 to ${MAX_RECEIPTS} receipts`);
  }
  const receipts = (input as unknown[]).map(parseReceipt);
  const wrong = receipts.indexOf(null);
  return wrong < 0
    ? (receipts as RepeatedReceipt[])
    : new Invalid(
        `must have receipts: element ${wrong} lacks pseudonym, keep_block, reference, created_at, or key`,
      );
}

function parseReceipt(input: unknown): RepeatedReceipt | null {
  const receipt = Object(input) as Record<string, unknown>;
  const { pseudonym, keep_block: keepBlock, reference, key, created_at: time } = receipt;
  const createdAt = new Date(typeof time === 'string' ? time : NaN);
  return typeof pseudonym === 'string' &&
    isPseudonym(pseudonym) &&
    typeof keepBlock === 'boolean' &&
    typeof reference === 'string' &&
    typeof key === 'string' &&
    !Number.isNaN(createdAt.getTime())
    ? { pseudonym, keepBlock, reference, createdAt, key }
    : null;
}

function parseCursor(input: unknown): AddressCursor | Invalid {
  const problem = new Invalid('must be the `next` of the previous response');
  try {
    const cursor = JSON.parse(Buffer.from(String(input), 'base64url').toString()) as AddressCursor;
    return isAddressCursor(cursor) ? cursor : problem;
  } catch {
    return problem;
  }
}

class ErasureReceiptDto extends PickType(ErasureDto, [
  'pseudonym',
  'keep_block',
  'reference',
  'created_at',
  'key',
] as const) {}

@ApiSchema({ name: 'RepeatErasuresRequest' })
@RejectUnknownFields()
export class RepeatErasuresDto {
  @ApiProperty({
    type: [ErasureReceiptDto],
    minItems: 1,
    maxItems: MAX_RECEIPTS,
    description:
      'Receipts of erasures: their other fields are ignored. If an address has several receipts, the latest one counts.',
  })
  @Parsed(parseReceipts)
  receipts!: RepeatedReceipt[];

  @ApiPropertyOptional(nullableText('The `next` of the previous response, with the same receipts.'))
  @OptionalParsed(parseCursor)
  after?: AddressCursor | null;
}

export class RepeatedErasuresDto {
  @ApiProperty({ enum: ['repeated_erasures'], example: 'repeated_erasures' })
  object = 'repeated_erasures' as const;

  @ApiProperty({
    type: [String],
    description: 'The pseudonyms of the addresses that were found, and are being erased again.',
    example: ['erased-mfrggzdfmztwq2lknnwg23tpoa@erased.invalid'],
  })
  found: string[];

  @ApiProperty({
    type: [String],
    description:
      'The pseudonyms of the addresses that stay, because they were suppressed, blocked, or opted out after a complete erasure began. If one has to ' +
      'be erased nevertheless, begin another erasure.',
    example: [],
  })
  reported_since: string[];

  @ApiProperty(nullableText('Where the search continues: send it as `after`. Null if it has ended.', null))
  next: string | null;

  constructor({ found, reportedSince, next }: Repetition) {
    this.found = [...found];
    this.reported_since = [...reportedSince];
    this.next = next && Buffer.from(JSON.stringify(next)).toString('base64url');
  }
}
