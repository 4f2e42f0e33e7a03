import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsOptional } from 'class-validator';
import { parseEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { nullableText, objectWithId, text, timestamp, uuid } from '../http/properties.js';
import { ConsentDto, parseConsent } from '../ledger/evidence.dto.js';
import type { Consent } from '../ledger/evidence.js';
import { NoteDto } from '../suppressions/dto/add.dto.js';
import { MAX_TOPICS, parseSubscription, SetSubscriptionDto } from '../topics/contact-topics.dto.js';
import type { RequestedSubscription } from '../topics/preferences.service.js';
import { IsParsed, OptionalParsed, Parse, Parsed } from '../validation/field.decorators.js';
import { parseJsonBoolean } from '../validation/parsers.js';
import { RefuseFields, RejectMisspellings } from '../validation/unknown-fields.js';
import type { ContactChanges, ContactState, NewContact } from './contacts.service.js';

const NEVER_STORED = 'For clients that read it: the service does not store it.';

export class ContactIdDto extends objectWithId(
  'contact',
  uuid('The id of the address in this account. It never changes.', 'a4f0c6d2-7f3e-5b1c-9c58-0d2b6e8f4a17'),
) {}

export class ContactDto extends ContactIdDto {
  @ApiProperty({ example: 'ada@example.com' })
  email: string;

  @ApiProperty(nullableText(NEVER_STORED, null))
  first_name: string | null = null;

  @ApiProperty(nullableText(NEVER_STORED, null))
  last_name: string | null = null;

  @ApiProperty(
    timestamp(
      'When the contact was created or, if it was earlier, the first change of the address.',
      '2026-01-15T09:30:00.000Z',
    ),
  )
  created_at: string;

  @ApiProperty({
    description:
      'Whether the suppression of the address has the cause `unsubscribe`. `false` does not mean that it may be mailed.',
    example: true,
  })
  unsubscribed: boolean;

  @ApiProperty({ type: Object, description: NEVER_STORED, example: {} })
  properties: object = {};

  constructor({ id, email, createdAt, isUnsubscribed }: ContactState) {
    super({ id });
    this.email = email;
    this.created_at = createdAt.toISOString();
    this.unsubscribed = isUnsubscribed;
  }
}

/** An array that is too long is left unparsed, so that `@ArrayMaxSize` refuses it. */
function parseTopics(input: unknown): unknown {
  return Array.isArray(input) && input.length <= MAX_TOPICS ? input.map(parseSubscription) : input;
}

@ApiSchema({ name: 'CreateContactRequest' })
@RefuseFields({ note: 'cannot be set here: use PATCH /contacts/:contact' })
export class CreateContactDto {
  @ApiProperty(text('The address of the contact.', 'ada@example.com'))
  @Parsed(parseEmailAddress)
  email!: EmailAddress;

  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    description: 'True to unsubscribe the address from everything. False changes nothing.',
    example: true,
  })
  @OptionalParsed(parseJsonBoolean)
  @RejectMisspellings()
  unsubscribed?: boolean | null;

  @ApiPropertyOptional({
    type: [SetSubscriptionDto],
    nullable: true,
    maxItems: MAX_TOPICS,
    description:
      'What the contact chose. An `opt_in` over an `opt_out` changes nothing. Requires the scope `topics:write`.',
  })
  @Expose()
  @RejectMisspellings()
  @Parse(parseTopics)
  @IsOptional()
  @IsArray({ message: 'must be an array of objects with id and subscription' })
  @ArrayMaxSize(MAX_TOPICS, { message: `must have at most ${MAX_TOPICS} topics` })
  @IsParsed('isSubscription', 'must be an object with id and subscription', { each: true })
  topics?: RequestedSubscription[] | null;

  toNewContact(): NewContact {
    const { email, unsubscribed, topics } = this;
    return { email, isUnsubscribed: unsubscribed === true, topics: topics ?? [] };
  }
}

@ApiSchema({ name: 'UpdateContactRequest' })
@RefuseFields({ topics: 'cannot be set here: use PATCH /contacts/:contact/topics' })
export class UpdateContactDto extends NoteDto {
  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    description:
      'True to unsubscribe the address from everything, false to end that. If null or absent, nothing changes.',
    example: true,
  })
  @OptionalParsed(parseJsonBoolean)
  @RejectMisspellings()
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
  @OptionalParsed(parseEmailAddress)
  email?: EmailAddress | null;

  toChanges(): ContactChanges {
    const { email = null, unsubscribed = null, consent = null, note = null } = this;
    return { email, isUnsubscribed: unsubscribed, consent, note };
  }
}
