import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { EVENT_TYPE_MEANINGS, type EventType } from '../announcements/events.js';
import { CursorDto, pageOf } from '../http/page.js';
import {
  enumOf,
  integer,
  nullableText,
  nullableTimestamp,
  objectWithId,
  timestamp,
  uuid,
} from '../http/properties.js';
import { OptionalOneOf, Parsed } from '../validation/field.decorators.js';
import { Invalid, parseTimestamp, type Timestamp } from '../validation/parsers.js';
import { RejectUnknownFields } from '../validation/unknown-fields.js';
import {
  DELIVERY_STATUS_MEANINGS,
  DELIVERY_STATUSES,
  type Attempt,
  type DeliveryStatus,
  type WebhookDelivery,
} from './webhook-delivery.entity.js';

const ID_EXAMPLE = '0198a5f6-4a10-7d2c-9b01-5c6d7e8f9a0b';
const STATUS = { ...enumOf('', DELIVERY_STATUS_MEANINGS), example: 'success' as const };

@ApiSchema({ name: 'ReplayWebhookRequest' })
@RejectUnknownFields()
export class ReplayWebhookDto {
  @ApiProperty(timestamp('Events from this time on are sent again.', '2026-01-15T09:00:00Z'))
  @Parsed(parseSince, 'must be a timestamp in ISO 8601 with its offset: 2026-01-15T09:00:00Z')
  since!: Date;
}

function parseSince(input: unknown): Date | Invalid {
  const parsed: Timestamp | Invalid = parseTimestamp(input);
  if (parsed instanceof Invalid) {
    return parsed;
  }
  return parsed.floor > Date.now() ? new Invalid('must not be in the future') : new Date(parsed.floor);
}

export class ListDeliveriesDto extends CursorDto {
  @ApiPropertyOptional(enumOf('Only deliveries with this status.', DELIVERY_STATUS_MEANINGS))
  @OptionalOneOf(DELIVERY_STATUSES)
  status?: DeliveryStatus;
}

export class WebhookEventIdDto extends objectWithId(
  'webhook_event',
  uuid('The value of the headers `webhook-id` and `svix-id`, in every attempt.', ID_EXAMPLE),
) {}

export class WebhookEventSummaryDto extends WebhookEventIdDto {
  @ApiProperty({ ...enumOf('', EVENT_TYPE_MEANINGS), example: 'webhook.test' })
  type: EventType;

  @ApiProperty(STATUS)
  status: DeliveryStatus;

  @ApiProperty({ format: 'date-time', example: '2026-01-15T09:30:00.000Z' })
  created_at: string;

  constructor({ id, type, status, createdAt }: WebhookDelivery) {
    super({ id });
    this.type = type;
    this.status = status;
    this.created_at = createdAt.toISOString();
  }
}

const NEXT_ATTEMPT_AT = nullableTimestamp(
  'Null unless the status is `pending`. The attempt is later than that if the webhook is disabled, or if an earlier event is retried first.',
  null,
);

export class WebhookEventDto extends WebhookEventSummaryDto {
  @ApiProperty(NEXT_ATTEMPT_AT)
  next_attempt_at: string | null;

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'The body that is sent.' })
  payload: object;

  constructor(delivery: WebhookDelivery) {
    super(delivery);
    this.next_attempt_at = delivery.nextAttemptAt?.toISOString() ?? null;
    this.payload = JSON.parse(delivery.body) as object;
  }
}

@ApiSchema({ name: 'WebhookAttempt' })
export class AttemptDto {
  @ApiProperty({ format: 'uuid', example: '0198a5f6-4b22-7a3d-8c12-6d7e8f9a0b1c' })
  id: string;

  @ApiProperty(integer('0 if there was no response.', 200))
  http_status_code: number;

  @ApiProperty({ description: 'The first 2 kB of the body of the response.', example: 'OK' })
  response: string;

  @ApiProperty(nullableText('Why there was no response, or that redirects are not followed.', null))
  error: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-01-15T09:30:00.412Z' })
  sent_at: string;

  constructor({ id, http_status_code, response, error, sent_at }: Attempt) {
    this.id = id;
    this.http_status_code = http_status_code;
    this.response = response;
    this.error = error;
    this.sent_at = sent_at;
  }
}

@ApiSchema({ name: 'WebhookDelivery' })
export class DeliveryDto extends WebhookEventSummaryDto {
  @ApiProperty(NEXT_ATTEMPT_AT)
  next_attempt_at: string | null;

  @ApiProperty({ description: 'Oldest first; the last 20.', type: [AttemptDto] })
  attempts: AttemptDto[];

  constructor(delivery: WebhookDelivery) {
    super(delivery);
    this.next_attempt_at = delivery.nextAttemptAt?.toISOString() ?? null;
    this.attempts = delivery.attempts.map((attempt) => new AttemptDto(attempt));
  }
}

export class WebhookEventsPageDto extends pageOf(WebhookEventSummaryDto) {}

@ApiSchema({ name: 'WebhookDeliveriesPage' })
export class DeliveriesPageDto extends pageOf(DeliveryDto) {}

@ApiSchema({ name: 'WebhookAttemptsPage' })
export class AttemptsPageDto extends pageOf(AttemptDto) {}
