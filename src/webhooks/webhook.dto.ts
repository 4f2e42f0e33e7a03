import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import {
  DEFAULT_EVENT_TYPES,
  EVENT_TYPE_MEANINGS,
  EVENT_TYPES,
  isEventType,
  isUnsent,
} from '../announcements/events.js';
import { pageOf } from '../http/page.js';
import { enumOf, nullableTimestamp, objectWithId } from '../http/properties.js';
import { OptionalOneOf, OptionalParsed, Parsed } from '../validation/field.decorators.js';
import { Invalid } from '../validation/parsers.js';
import { RejectMisspellings } from '../validation/unknown-fields.js';
import { parseEndpoint } from './endpoint/endpoint.js';
import {
  DISABLED_REASON_MEANINGS,
  WEBHOOK_STATUS_MEANINGS,
  WEBHOOK_STATUSES,
  type DisabledReason,
  type Webhook,
  type WebhookStatus,
} from './webhook.entity.js';
import type { NewWebhook, WebhookChanges, WebhookWithSecret } from './webhooks.service.js';

const ID_EXAMPLE = '0198a5f6-3e2d-7c1b-8a90-4b5c6d7e8f90';
const MAX_EVENTS = 100;
const EVENTS_RULE = `must be a list of one or more of ${EVENT_TYPES.join(', ')}, or of Resend's other events, which are never sent`;

const ENDPOINT = {
  type: String,
  format: 'uri',
  description: 'The URL that receives the events.',
  example: 'https://example.com/webhooks',
};
const EVENTS = {
  type: 'array' as const,
  minItems: 1,
  maxItems: MAX_EVENTS,
  items: {
    anyOf: [
      { type: 'string' as const, ...enumOf('', EVENT_TYPE_MEANINGS) },
      { type: 'string' as const, description: "An event of Resend's API that this service never sends." },
    ],
  },
  description: 'The types of events that the endpoint receives.',
  example: ['suppression.added', 'suppression.removed'],
};
const SIGNING_SECRET = {
  description: 'The secret with which the receiver verifies events.',
  example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
};
const STATUS = { ...enumOf('', WEBHOOK_STATUS_MEANINGS), example: 'enabled' as const };

function parseEvents(input: unknown): string[] | Invalid {
  const isList = Array.isArray(input) && input.length > 0 && input.length <= MAX_EVENTS;
  return isList && input.every((name) => isEventType(name) || isUnsent(name))
    ? [...new Set(input as string[])]
    : new Invalid(EVENTS_RULE);
}

@ApiSchema({ name: 'CreateWebhookRequest' })
export class CreateWebhookDto {
  @ApiProperty(ENDPOINT)
  @Parsed(
    parseEndpoint,
    'must be a URL such as https://example.com/webhooks, without a user name or a password',
  )
  endpoint!: string;

  /** Clients that cannot name the events of suppressions, such as the .NET and Java clients, send null. */
  @ApiPropertyOptional({ ...EVENTS, nullable: true, default: [...DEFAULT_EVENT_TYPES] })
  @OptionalParsed(parseEvents)
  @RejectMisspellings()
  events?: string[] | null;

  toNewWebhook(): NewWebhook {
    return { endpoint: this.endpoint, events: this.events ?? [...DEFAULT_EVENT_TYPES] };
  }
}

@ApiSchema({ name: 'UpdateWebhookRequest' })
export class UpdateWebhookDto {
  @ApiPropertyOptional(ENDPOINT)
  @OptionalParsed(parseEndpoint)
  @RejectMisspellings()
  endpoint?: string | null;

  @ApiPropertyOptional(EVENTS)
  @OptionalParsed(parseEvents)
  @RejectMisspellings()
  events?: string[] | null;

  @ApiPropertyOptional(STATUS)
  @OptionalOneOf(WEBHOOK_STATUSES)
  @RejectMisspellings()
  status?: WebhookStatus | null;

  toChanges(): WebhookChanges {
    const { endpoint, events, status } = this;
    return { ...(endpoint && { endpoint }), ...(events && { events }), ...(status && { status }) };
  }
}

export class WebhookIdDto extends objectWithId('webhook', { example: ID_EXAMPLE }) {}

export class WebhookSecretDto extends WebhookIdDto {
  @ApiProperty(SIGNING_SECRET)
  signing_secret: string;

  constructor({ webhook, signingSecret }: WebhookWithSecret) {
    super(webhook);
    this.signing_secret = signingSecret;
  }
}

export class WebhookSummaryDto extends WebhookIdDto {
  @ApiProperty(ENDPOINT)
  endpoint: string;

  @ApiProperty(EVENTS)
  events: string[];

  @ApiProperty({
    type: [String],
    description: 'The `events` that only Resend sends, so the endpoint never receives them.',
    example: [],
  })
  unsent_events: string[];

  @ApiProperty(STATUS)
  status: WebhookStatus;

  @ApiProperty({ ...enumOf('Why it is disabled.', DISABLED_REASON_MEANINGS), nullable: true, example: null })
  disabled_reason: DisabledReason | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  disabled_at: string | null;

  @ApiProperty(
    nullableTimestamp(
      'The time of the first failure since the last success. Null if the last attempt succeeded.',
      null,
    ),
  )
  failing_since: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-01-15T09:30:00.000Z' })
  created_at: string;

  constructor(webhook: Webhook) {
    super(webhook);
    this.endpoint = webhook.endpoint;
    this.events = webhook.events;
    this.unsent_events = webhook.events.filter(isUnsent);
    this.status = webhook.status;
    this.disabled_reason = webhook.disabledReason;
    this.disabled_at = webhook.disabledAt?.toISOString() ?? null;
    this.failing_since = webhook.failingSince?.toISOString() ?? null;
    this.created_at = webhook.createdAt.toISOString();
  }
}

export class WebhookDto extends WebhookSummaryDto {
  @ApiProperty(SIGNING_SECRET)
  signing_secret: string;

  constructor({ webhook, signingSecret }: WebhookWithSecret) {
    super(webhook);
    this.signing_secret = signingSecret;
  }
}

export class DeletedWebhookDto extends WebhookIdDto {
  @ApiProperty({ example: true })
  deleted: boolean = true;
}

export class WebhooksPageDto extends pageOf(WebhookSummaryDto) {}
