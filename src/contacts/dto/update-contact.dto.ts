import { ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { IsBoolean, IsOptional } from 'class-validator';
import { nullableText } from '../../http/properties.js';
import { parseEmailAddress, type EmailAddress } from '../../email-address/email-address.js';
import { IsEmail } from '../../email-address/is-email.js';
import { ConsentDto, parseConsent } from '../../ledger/consent.dto.js';
import type { Consent } from '../../ledger/evidence.js';
import { Parse } from '../../validation/parse.decorator.js';
import { RejectMisspellings } from '../../validation/reject-misspellings.decorator.js';
import type { ContactChanges } from '../contacts.service.js';
import { OptionalParsed } from '../../validation/field.decorators.js';

@ApiSchema({ name: 'UpdateContactRequest' })
export class UpdateContactDto {
  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    description:
      'True to unsubscribe the address from everything, false to end that. If null or absent, nothing changes.',
    example: true,
  })
  @Expose()
  @RejectMisspellings()
  @IsOptional()
  @IsBoolean({ message: 'must be true or false' })
  unsubscribed?: boolean | null;

  @ApiPropertyOptional({
    type: ConsentDto,
    nullable: true,
    description:
      'The evidence that the recipient wants mail again. An account that guards removals requires it to end an unsubscribe, ' +
      'and the scope `suppressions:lift`. It is stored in the history.',
  })
  @OptionalParsed(parseConsent)
  @RejectMisspellings()
  consent?: Consent | null;

  @ApiPropertyOptional(
    nullableText(
      'The address of the contact, which some clients repeat. It cannot change.',
      'ada@example.com',
    ),
  )
  @Expose()
  @Parse((input) => (input === null ? null : parseEmailAddress(input)))
  @IsOptional()
  @IsEmail()
  email?: EmailAddress | null;

  toChanges(): ContactChanges {
    const { email = null, unsubscribed = null, consent = null } = this;
    return { email, isUnsubscribed: unsubscribed, consent };
  }
}
