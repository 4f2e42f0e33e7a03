import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { parseEmailAddress, type EmailAddress } from '../email-address/email-address.js';
import { nullableText, nullableUuid } from '../http/properties.js';
import { parseTopicRef, type TopicRef } from '../topics/topic-ref.js';
import { EMAILS, OptionalParsed, ParsedEach } from '../validation/field.decorators.js';
import { parseId, parseJsonBoolean } from '../validation/parsers.js';
import { RejectUnknownFields } from '../validation/unknown-fields.js';
import type { LinkedEmail, UnsubscribeLink } from './unsubscribe-links.service.js';

const MAX_EMAILS = 1000;

@ApiSchema({ name: 'CreateUnsubscribeLinksRequest' })
@RejectUnknownFields()
export class CreateLinksDto {
  @ApiProperty({
    description: 'The 1 to 1,000 recipients.',
    type: [String],
    minItems: 1,
    maxItems: MAX_EMAILS,
    example: ['ada@example.com', 'new@example.com'],
  })
  @ParsedEach(parseEmailAddress, MAX_EMAILS, EMAILS)
  emails!: EmailAddress[];

  @ApiPropertyOptional(
    nullableText(
      'The id or the key of the topic of the email. The links opt out of it. Without a topic, they unsubscribe from everything.',
      'news',
    ),
  )
  @OptionalParsed(parseTopicRef)
  topic?: TopicRef | null;

  @ApiPropertyOptional(
    nullableUuid(
      'Your own UUID of the email. It appears in the history of an address that unsubscribes.',
      null,
    ),
  )
  @OptionalParsed(parseId)
  source_id?: string | null;

  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    description: 'Whether `List-Unsubscribe` also contains a `mailto:` address.',
    example: false,
  })
  @OptionalParsed(parseJsonBoolean)
  mailto?: boolean | null;

  toLinkedEmail(): LinkedEmail {
    return { topic: this.topic ?? null, emailId: this.source_id ?? null, mailto: this.mailto ?? false };
  }
}

const URL = {
  format: 'uri',
  description: "The URL of this recipient's page, for the link in the email's text.",
  example: 'https://lists.example.com/u/AQAAACoP2m1cVwqk7d0yS3xR9uE',
};
const HEADERS = {
  type: 'object',
  additionalProperties: { type: 'string' },
  description: 'Header fields for the email to this recipient only (RFC 2369, RFC 2919, RFC 8058).',
} as const;

export class UnsubscribeDto {
  @ApiProperty(URL)
  url: string;

  @ApiProperty(HEADERS)
  headers: Record<string, string>;

  constructor({ url, headers }: UnsubscribeLink) {
    this.url = url;
    this.headers = headers;
  }
}

export class UnsubscribeLinkDto extends UnsubscribeDto {
  @ApiProperty({ example: 'ada@example.com' })
  email: string;

  constructor(link: UnsubscribeLink) {
    super(link);
    this.email = link.email;
  }
}

export class UnsubscribeLinksDto {
  @ApiProperty({ enum: ['list'], example: 'list' })
  object = 'list' as const;

  @ApiProperty({
    description: 'One element for each address, in the order of the request.',
    type: [UnsubscribeLinkDto],
  })
  data: UnsubscribeLinkDto[];

  constructor(links: UnsubscribeLink[]) {
    this.data = links.map((link) => new UnsubscribeLinkDto(link));
  }
}
