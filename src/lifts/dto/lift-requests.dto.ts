import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { parseDomain } from '../../email-address/email-address.js';
import { ValidationError } from '../../http/errors/errors.js';
import { enumOf, nullableTimestamp, nullableUuid } from '../../http/properties.js';
import { requireRange } from '../../http/require-range.js';
import { CAUSE_MEANINGS } from '../../ledger/cause.js';
import { ConsentDto, parseConsent } from '../../ledger/evidence.dto.js';
import type { Consent } from '../../ledger/evidence.js';
import { OneOf, OptionalParsed } from '../../validation/field.decorators.js';
import { Invalid, parseId, parseTimestamp, type Timestamp } from '../../validation/parsers.js';
import { RejectUnknownFields } from '../../validation/unknown-fields.js';
import { LIFTED_CAUSES, type LiftedCause, type LiftQuery } from '../lift.js';
import type { Application } from '../lifts.service.js';

const MAX_DOMAINS = 100;
const MAX_DIAGNOSTIC_LENGTH = 200;
export const DOMAINS_PROBLEM = `must be an array of 1 to ${MAX_DOMAINS} domains, as in ["example.com"]`;
const { bounce, manual } = CAUSE_MEANINGS;

@ApiSchema({ name: 'CreateLiftRequest' })
@RejectUnknownFields()
export class CreateLiftDto {
  @ApiProperty({ ...enumOf('The cause to lift.', { bounce, manual }), example: 'bounce' })
  @OneOf(LIFTED_CAUSES)
  cause!: LiftedCause;

  @ApiPropertyOptional(
    nullableTimestamp(
      'Only causes that were recorded after this timestamp. A date means midnight UTC.',
      '2026-01-15T06:00:00Z',
    ),
  )
  @OptionalParsed(parseTimestamp)
  created_after?: Timestamp | null;

  @ApiPropertyOptional(
    nullableTimestamp(
      'Only causes that were recorded before this timestamp. Bounces may arrive an hour after the fault that caused them.',
    ),
  )
  @OptionalParsed(parseTimestamp)
  created_before?: Timestamp | null;

  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    minItems: 1,
    maxItems: MAX_DOMAINS,
    description: 'Only addresses at these domains, in Unicode or ASCII form. Subdomains are not included.',
    example: ['example.com'],
  })
  @OptionalParsed(parseDomains)
  domains?: string[] | null;

  @ApiPropertyOptional(nullableUuid('Only causes that this source reported.'))
  @OptionalParsed(parseId)
  source?: string | null;

  @ApiPropertyOptional(
    nullableUuid(
      'Only causes that this actor recorded: the id of an API key, a person, an import, or a source, as the history of an address ' +
        'shows it.',
    ),
  )
  @OptionalParsed(parseId)
  actor?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    minLength: 1,
    maxLength: MAX_DIAGNOSTIC_LENGTH,
    description:
      'Only causes with this text, in any letter case, in what the server said, or in the note of the change. It must not contain ' +
      'an address.',
    example: 'account that you tried to reach does not exist',
  })
  @OptionalParsed(parseDiagnostic)
  diagnostic?: string | null;

  /** @throws {ValidationError} if there is no condition besides the cause, or no time is in their range */
  toQuery(): LiftQuery {
    requireRange(this);
    const { cause, created_after, created_before, domains, source, actor, diagnostic } = this;
    const conditions = {
      ...(created_after && { createdFrom: created_after.floor + 1 }),
      ...(created_before && { createdBefore: created_before.ceil }),
      ...(domains && { domains }),
      ...(source && { source }),
      ...(actor && { actor }),
      ...(diagnostic && { diagnostic }),
    };
    if (Object.keys(conditions).length === 0) {
      throw ValidationError.ofRequest('Give at least one condition besides the cause.');
    }
    return { cause, ...conditions };
  }
}

function parseDomains(input: unknown): string[] | Invalid {
  const texts = Array.isArray(input) ? (input as unknown[]) : [];
  if (texts.length < 1 || texts.length > MAX_DOMAINS || !texts.every((text) => typeof text === 'string')) {
    return new Invalid(DOMAINS_PROBLEM);
  }
  const domains = new Set<string>();
  for (const text of texts) {
    const domain = parseDomain(text.trim());
    if (typeof domain !== 'string') {
      return new Invalid(`must have domains, as in example.com: “${text.slice(0, 100)}” is not one`);
    }
    domains.add(domain);
  }
  return [...domains];
}

function parseDiagnostic(input: unknown): string | Invalid {
  const text = typeof input === 'string' ? input.trim() : '';
  return text !== '' && text.length <= MAX_DIAGNOSTIC_LENGTH && /^[^\0\p{Cs}@]*$/u.test(text)
    ? text
    : new Invalid(`must have 1 to ${MAX_DIAGNOSTIC_LENGTH} characters, without @`);
}

@ApiSchema({ name: 'ApplyLiftRequest' })
@RejectUnknownFields()
export class ApplyLiftDto {
  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    description: 'The `count` of the lift. Required above 1,000 suppressions and 5 % of the list.',
    example: 20_000,
  })
  @OptionalParsed(parseCount)
  confirm?: number | null;

  @ApiPropertyOptional({
    type: ConsentDto,
    nullable: true,
    description:
      'The evidence that you may lift these causes. An account that guards removals requires it. It is stored in the history.',
  })
  @OptionalParsed(parseConsent)
  consent?: Consent | null;

  toApplication(): Application {
    const { confirm = null, consent = null } = this;
    return { confirm, consent };
  }
}

function parseCount(input: unknown): number | Invalid {
  return Number.isSafeInteger(input) && (input as number) >= 0
    ? (input as number)
    : new Invalid('must be the count of the lift');
}
