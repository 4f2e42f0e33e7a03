import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { isoTimestampOf } from '../../database/iso-timestamp.js';
import { ORIGIN_MEANINGS, originOf, type Origin } from '../../ledger/cause.js';
import { createdMsOf } from '../suppression-id.js';
import type { FoundSuppression } from '../suppression-lookup.js';
import { enumOf } from '../../validation/enum-of.js';
import { nullableUuid, timestamp } from '../../http/properties.js';

const ID_EXAMPLE = '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11';

@ApiSchema({ name: 'SuppressionId' })
export class SuppressionIdDto {
  @ApiProperty({ enum: ['suppression'], example: 'suppression' })
  object = 'suppression' as const;

  @ApiProperty({ format: 'uuid', example: ID_EXAMPLE })
  id: string;

  constructor(id: string) {
    this.id = id;
  }
}

@ApiSchema({ name: 'Suppression' })
export class SuppressionDto extends SuppressionIdDto {
  @ApiProperty({
    format: 'email',
    description: 'The normalized address: lower case, Unicode NFC, the domain in ASCII.',
    example: 'ada@example.com',
  })
  email: string;

  @ApiProperty({ ...enumOf('Why the address is suppressed.', ORIGIN_MEANINGS), example: 'manual' })
  origin: Origin;

  @ApiProperty(
    nullableUuid('The email that triggered the suppression. Null if the origin is `manual`.', null),
  )
  source_id: string | null;

  @ApiProperty(timestamp('When the address was suppressed.', '2026-01-15T09:30:00.000Z'))
  created_at: string;

  constructor({ id, email, cause, emailId }: FoundSuppression) {
    super(id);
    this.email = email;
    this.origin = originOf(cause);
    this.source_id = this.origin === 'manual' ? null : emailId;
    this.created_at = isoTimestampOf(createdMsOf(id));
  }
}
