import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import {
  enumOf,
  nullableText,
  nullableTimestamp,
  objectWithId,
  text,
  timestamp,
} from '../../http/properties.js';
import { ActorDto } from '../../ledger/evidence.dto.js';
import { MAX_FILTERS } from '../../pseudonyms/kept-blocks.repository.js';
import { OptionalParsed, Parsed } from '../../validation/field.decorators.js';
import { Invalid, parseJsonBoolean, trimmedText } from '../../validation/parsers.js';
import { RejectUnknownFields } from '../../validation/unknown-fields.js';
import type { Receipt, RequestedErasure } from './erasures.service.js';

const MAX_REFERENCE_LENGTH = 200;

const STATUS_MEANINGS = {
  completed: 'the address has been erased',
  erasing: 'the erasure goes on in the background; repeat the request to learn when it has ended',
} as const;

type Status = keyof typeof STATUS_MEANINGS;

function parseReference(input: unknown): string | Invalid {
  return (
    trimmedText(input, MAX_REFERENCE_LENGTH) ??
    new Invalid(`must be a text of 1 to ${MAX_REFERENCE_LENGTH} characters`)
  );
}

@ApiSchema({ name: 'EraseContactRequest' })
@RejectUnknownFields()
export class EraseContactDto {
  @ApiProperty({
    type: Boolean,
    description:
      'Whether a keyed hash of the address stays in its place, so that it can be recognized: it stays suppressed, with its choices ' +
      'and its history. Otherwise, the address is erased completely, so nothing blocks it.',
  })
  @Parsed(parseJsonBoolean)
  keep_block!: boolean;

  @ApiProperty({
    type: String,
    minLength: 1,
    maxLength: MAX_REFERENCE_LENGTH,
    description:
      'Where the request is documented, such as the number of a case. It must not contain the address. A repetition with the ' +
      'same reference returns the receipt, and erases nothing more.',
    example: 'Case 4711',
  })
  @Parsed(parseReference)
  reference!: string;

  @ApiPropertyOptional({
    type: Boolean,
    description:
      'Required as true if the address is suppressed, blocked by a rule for it alone, or opted out of a topic, unless ' +
      '`keep_block` is true.',
  })
  @OptionalParsed(parseJsonBoolean)
  accept_may_be_mailed_again?: boolean;

  toRequest(): RequestedErasure {
    return {
      keepBlock: this.keep_block,
      reference: this.reference,
      acceptsMail: this.accept_may_be_mailed_again === true,
    };
  }
}

export class ErasureDto extends objectWithId('erasure', { example: '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11' }) {
  @ApiProperty({ ...enumOf('', STATUS_MEANINGS), example: 'completed' })
  status: Status;

  @ApiProperty({ description: 'Whether the block was kept.', example: false })
  keep_block: boolean;

  @ApiProperty(
    text(
      'A hash of the address with a secret key of the account. It stands for the address in this receipt and, if the block is ' +
        'kept, wherever the address was.',
      'erased-mfrggzdfmztwq2lknnwg23tpoa@erased.invalid',
    ),
  )
  pseudonym: string;

  @ApiProperty({ example: 'Case 4711' })
  reference: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'How many rows were deleted or changed so far, by table.',
    example: { suppressions: 1, suppression_changes: 3, delivery_events: 2 },
  })
  counts: Record<string, number>;

  @ApiProperty({ type: ActorDto })
  actor: ActorDto;

  @ApiProperty(timestamp('When the erasure began.', '2026-01-15T09:30:00.000Z'))
  created_at: string;

  @ApiProperty(nullableTimestamp('When it ended.', '2026-01-15T09:30:00.412Z'))
  completed_at: string | null;

  @ApiProperty(
    nullableTimestamp(
      'Until when backups of the database may contain the address, by the setting `BACKUP_RETENTION_DAYS`. Null if it ' +
        'is not set, or the status is `erasing`.',
      '2026-02-14T09:30:00.412Z',
    ),
  )
  backups_until: string | null;

  @ApiProperty(
    text(
      'The key of the account, encrypted with `SECRETS_KEY`. It lets the service find the address by the pseudonym, to repeat the ' +
        'erasure after a restore.',
      'q83vEjRWeJCrze8SNFZ4kA==',
    ),
  )
  key: string;

  constructor(receipt: Receipt) {
    super(receipt);
    const { keepBlock, pseudonym, reference, counts, actor, createdAt, completedAt, backupsUntil } = receipt;
    this.key = receipt.key;
    this.status = completedAt ? 'completed' : 'erasing';
    this.keep_block = keepBlock;
    this.pseudonym = pseudonym;
    this.reference = reference;
    this.counts = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
    this.actor = actor;
    this.created_at = createdAt.toISOString();
    this.completed_at = completedAt?.toISOString() ?? null;
    this.backups_until = backupsUntil?.toISOString() ?? null;
  }
}

export class PseudonymKeyDto {
  @ApiProperty({ enum: ['pseudonym_key'], example: 'pseudonym_key' })
  object = 'pseudonym_key' as const;

  @ApiProperty(
    nullableText(
      '32 bytes in base64. Null if the account never erased an address.',
      'c2VjcmV0IGtleSBvZiBhbiBhY2NvdW50LCAzMiBieXQ=',
    ),
  )
  key: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    nullable: true,
    description: `The filters of the kept blocks, by pseudonym. Null if there are more than ${MAX_FILTERS.toLocaleString('en')}.`,
    example: { 'erased-mfrggzdfmztwq2lknnwg23tpoa@erased.invalid': -1_240_316_402 },
  })
  filters: Record<string, number> | null;

  constructor(key: string | null, filters: Record<string, number> | null) {
    this.key = key;
    this.filters = filters;
  }
}
