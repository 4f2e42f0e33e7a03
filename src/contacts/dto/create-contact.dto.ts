import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, IsOptional } from 'class-validator';
import { text } from '../../http/properties.js';
import { parseEmailAddress, type EmailAddress } from '../../email-address/email-address.js';
import { IsEmail } from '../../email-address/is-email.js';
import {
  MAX_TOPICS,
  parseSubscription,
  SetSubscriptionDto,
} from '../../topics/dto/set-contact-topics.dto.js';
import type { RequestedSubscription } from '../../topics/preferences.service.js';
import { IsParsed, Parse } from '../../validation/parse.decorator.js';
import { RejectMisspellings } from '../../validation/reject-misspellings.decorator.js';
import type { NewContact } from '../contacts.service.js';

/** An array that is too long stays unparsed, for `@ArrayMaxSize` to refuse. */
function parseTopics(input: unknown): unknown {
  return Array.isArray(input) && input.length <= MAX_TOPICS ? input.map(parseSubscription) : input;
}

@ApiSchema({ name: 'CreateContactRequest' })
export class CreateContactDto {
  @ApiProperty(text('The address of the contact.', 'ada@example.com'))
  @Expose()
  @Parse(parseEmailAddress)
  @IsEmail()
  email!: EmailAddress;

  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    description: 'True to unsubscribe the address from everything. False changes nothing.',
    example: true,
  })
  @Expose()
  @RejectMisspellings()
  @IsOptional()
  @IsBoolean({ message: 'must be true or false' })
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
