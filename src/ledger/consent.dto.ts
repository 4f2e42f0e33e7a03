import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Invalid } from '../validation/invalid.js';
import { trimmedText } from '../validation/trimmed-text.js';
import { CONSENT_KINDS, type Consent, type ConsentKind } from './evidence.js';

const MAX_REFERENCE_LENGTH = 500;

@ApiSchema({ name: 'Consent' })
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
