import { ApiProperty } from '@nestjs/swagger';
import { ACTOR_TYPE_MEANINGS, type ActorType } from '../audit/actor.js';
import { enumOf } from '../http/properties.js';
import { Invalid, trimmedText } from '../validation/parsers.js';
import { CONSENT_KINDS, type Consent, type ConsentKind } from './evidence.js';

export class ActorDto {
  @ApiProperty({ ...enumOf('', ACTOR_TYPE_MEANINGS), example: 'api_key' })
  type!: ActorType;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    example: '0198a5f0-1c2b-7d4e-8f90-1a2b3c4d5e6f',
  })
  id!: string | null;

  @ApiProperty({ description: 'Its name at that time.', example: 'support desk' })
  name!: string;
}

const MAX_REFERENCE_LENGTH = 500;

export class ConsentDto {
  @ApiProperty({
    enum: CONSENT_KINDS,
    description:
      '`recipient_request`: the recipient asked for it. `double_opt_in`: the recipient confirmed it by email. ' +
      '`our_error`: the address should never have been suppressed.',
    example: 'recipient_request',
  })
  kind!: ConsentKind;

  @ApiProperty({
    description: 'Where the consent is documented.',
    minLength: 1,
    maxLength: MAX_REFERENCE_LENGTH,
    example: 'Support case 4711',
  })
  reference!: string;
}

export function parseConsent(input: unknown): Consent | null | Invalid {
  if (input === null) {
    return null;
  }
  const { kind, reference } = (typeof input === 'object' ? input : {}) as Partial<Record<string, unknown>>;
  if (!CONSENT_KINDS.includes(kind as ConsentKind)) {
    return new Invalid(`must have one of ${CONSENT_KINDS.join(', ')} in kind`);
  }
  const text = trimmedText(reference, MAX_REFERENCE_LENGTH);
  return text !== null
    ? { kind: kind as ConsentKind, reference: text }
    : new Invalid(`must have 1 to ${MAX_REFERENCE_LENGTH} characters in reference`);
}
