import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsOptional, ValidateIf } from 'class-validator';
import { parseEmailAddress } from '../../email-address/email-address.js';
import { nullableText } from '../../http/properties.js';
import { parseTopicRef, type TopicRef } from '../../topics/topic-ref.js';
import { EMAILS, NotWith, OptionalParsed, ParsedEach } from '../../validation/field.decorators.js';
import { Invalid, parseBoolean } from '../../validation/parsers.js';
import { RejectUnknownFields } from '../../validation/unknown-fields.js';
import { parseAsOf, type AsOf } from '../checks/check-request.js';
import type { RequestedEmail, RequestedLinks } from '../checks/check.service.js';

const INCLUDES = ['unsubscribe'] as const;

const MAX_EMAILS = 1000;

@ApiSchema({ name: 'CheckRequest' })
@RejectUnknownFields()
export class CheckDto {
  @ApiPropertyOptional({
    enum: INCLUDES,
    isArray: true,
    nullable: true,
    description: '`unsubscribe`: also return an unsubscribe link for each address with the verdict `send`.',
  })
  @Expose()
  @IsOptional()
  @IsArray({ message: 'must be an array such as ["unsubscribe"]' })
  @ArrayMaxSize(INCLUDES.length, { message: `must have at most ${INCLUDES.length} element` })
  @NotWith('as_of')
  @IsIn(INCLUDES, { each: true, message: `may only have ${INCLUDES.join(', ')}` })
  include?: (typeof INCLUDES)[number][] | null;

  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    description: 'Whether `List-Unsubscribe` also contains a `mailto:` address. Only with `include`.',
    example: false,
  })
  @Expose()
  @IsOptional()
  @IsBoolean({ message: 'must be true or false' })
  mailto?: boolean | null;

  @ApiProperty({
    description: 'The 1 to 1,000 addresses to check.',
    type: [String],
    minItems: 1,
    maxItems: MAX_EMAILS,
    example: ['ada@example.com', 'new@example.com', 'not an address'],
  })
  @ParsedEach(parseRequested, MAX_EMAILS, EMAILS)
  emails!: RequestedEmail[];

  @ApiPropertyOptional(
    nullableText(
      'The id or the key of the topic of the email. Opt-outs of a topic, and rules that are limited to it, count only ' +
        'if you name the topic.',
      'news',
    ),
  )
  @OptionalParsed(parseTopicRef)
  topic?: TopicRef | null;

  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    description:
      'Whether the email is transactional, such as a password reset. Unsubscribes and opt-outs then do not count; ' +
      'bounces and complaints do. Requires the scope `suppressions:check-transactional`. Cannot be combined with ' +
      '`topic`.',
    example: false,
  })
  @Expose()
  @ValidateIf((_dto, value) => value === true || typeof value !== 'boolean')
  @IsOptional()
  @IsBoolean({ message: 'must be true or false' })
  @NotWith('topic')
  transactional?: boolean | null;

  @ApiPropertyOptional(
    nullableText(
      'A timestamp at least 10 seconds ago, or a cursor of `GET /changes`. The verdicts are those at that time.',
      null,
    ),
  )
  @OptionalParsed(parseAsOf)
  as_of?: AsOf | null;

  toRequestedLinks(): RequestedLinks | null {
    return this.include?.includes('unsubscribe') ? { mailto: this.mailto ?? false } : null;
  }
}

export class ExplainDto {
  @ApiPropertyOptional({
    type: Boolean,
    description: 'Whether to return all matches, not only the deciding one.',
  })
  @OptionalParsed(parseBoolean)
  explain?: boolean;
}

/** An invalid address gets its own verdict. Only an element that is not a string fails the request. */
function parseRequested(input: unknown): RequestedEmail | Invalid {
  return typeof input === 'string'
    ? { text: input, address: parseEmailAddress(input) }
    : new Invalid('must be a string');
}
