import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ConsentDto, parseConsent } from '../../ledger/consent.dto.js';
import type { Consent } from '../../ledger/evidence.js';
import { OptionalParsed } from '../../validation/field.decorators.js';
import { Invalid } from '../../validation/invalid.js';
import { RejectUnknownFields } from '../../validation/reject-unknown-fields.decorator.js';
import type { Application } from '../lifts.service.js';

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
      'What entitles you to the lift. An account that guards removals requires it. It is stored in the history.',
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
