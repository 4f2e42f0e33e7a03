import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { parseEmailInQuery, type EmailAddress } from '../email-address/email-address.js';
import { CursorDto, pageOf } from '../http/page.js';
import {
  enumOf,
  nullableText,
  nullableTimestamp,
  nullableUuid,
  objectWithId,
  text,
  timestamp,
  uuid,
} from '../http/properties.js';
import { OptionalOneOf, OptionalParsed } from '../validation/field.decorators.js';
import { parseId } from '../validation/parsers.js';
import type { ListedEvent } from './events.service.js';
import {
  DELIVERY_EVENT_KIND_MEANINGS,
  DELIVERY_EVENT_KINDS,
  EFFECT_MEANINGS,
  OUTCOME_MEANINGS,
  type DeliveryEventKind,
  type Effect,
  type Outcome,
} from './parsing/delivery-event.js';
import { MAX_DIAGNOSTIC_LENGTH, POSTED_EVENT_TYPES, type PostedEventType } from './posted-events.js';
import type { EventResult } from './projection/event-outcome.js';
import type { Source } from './sources/source.entity.js';

const REASON = text('Why the event has this effect or outcome.', 'The mailbox does not exist.');
const SUPPRESSION = nullableUuid(
  'The suppression that the event changed, or that existed already.',
  '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11',
);

/** Only documents the body. `parsePostedEvents` reads it, since it may be one event or an array of events. */
export class PostedEventDto {
  @ApiProperty({
    enum: POSTED_EVENT_TYPES,
    description:
      '`bounce`: the email could not be delivered. `complaint`: the recipient reported it as spam. ' +
      '`unsubscribe`: the recipient unsubscribed.',
    example: 'bounce',
  })
  type!: PostedEventType;

  @ApiProperty(text('The recipient of the email.', 'gone@example.com'))
  email!: string;

  @ApiPropertyOptional(uuid('Your id of the email.'))
  source_id?: string | null;

  @ApiPropertyOptional(
    timestamp('When it happened. It may be up to 24 hours in the future, because clocks differ.'),
  )
  occurred_at?: string | null;

  @ApiPropertyOptional(text('The enhanced status code of a bounce (RFC 3463).', '5.1.1'))
  status?: string | null;

  @ApiPropertyOptional({
    type: String,
    description:
      'The text that the mail server returned with a bounce. A bounce with a diagnostic or a status suppresses only if ' +
      'they show that the address will never accept mail.',
    maxLength: MAX_DIAGNOSTIC_LENGTH,
    example: '550 5.1.1 no such user',
  })
  diagnostic?: string | null;
}

export class EventResultDto {
  @ApiProperty({ enum: ['event'], example: 'event' })
  object = 'event' as const;

  @ApiProperty({
    ...enumOf(
      'How the event changed the list. A repeated event has the outcome of the first one, or `nothing` if its cause was ' +
        'lifted or has expired since.',
      OUTCOME_MEANINGS,
    ),
    example: 'added',
  })
  outcome: Outcome;

  @ApiProperty(REASON)
  reason: string;

  @ApiProperty(SUPPRESSION)
  suppression_id: string | null;

  constructor({ outcome, reason, suppressionId }: EventResult) {
    this.outcome = outcome;
    this.reason = reason;
    this.suppression_id = suppressionId;
  }
}

export class EventResultsDto {
  @ApiProperty({
    description: 'One result for each event, in the order of the request.',
    type: [EventResultDto],
  })
  data: EventResultDto[];

  constructor(results: EventResult[]) {
    this.data = results.map((result) => new EventResultDto(result));
  }
}

class EventSourceDto {
  @ApiProperty({ format: 'uuid', example: '0198a5f0-52b3-7a41-8c6d-7e8f9a0b1c2d' })
  id: string;

  @ApiProperty({ description: 'The name that the ledger shows.', example: 'sendgrid' })
  name: string;

  @ApiProperty(
    text('The provider that sends the events; `event` for events that were posted to the API.', 'sendgrid'),
  )
  provider: string;

  constructor({ id, name, provider }: Source) {
    this.id = id;
    this.name = name;
    this.provider = provider;
  }
}

class EventDto extends objectWithId('event', { example: '0198a5f2-6d1d-7a10-8b22-9d0c4e5f6a7b' }) {
  @ApiProperty({
    ...enumOf('What happened.', DELIVERY_EVENT_KIND_MEANINGS),
    example: 'bounce',
  })
  kind: DeliveryEventKind;

  @ApiProperty(nullableText('The recipient. Null if the event names no valid address.', 'gone@example.com'))
  email: string | null;

  @ApiProperty({ type: EventSourceDto, description: 'Where the event came from.' })
  source: EventSourceDto;

  @ApiProperty(
    nullableUuid('The id of the email, if the source reports one.', '0198a5ee-40b1-7f6a-9b3c-2d4e6f8a0b1c'),
  )
  source_id: string | null;

  @ApiProperty(nullableText('The enhanced status code (RFC 3463), if one is known.', '5.1.1'))
  status: string | null;

  @ApiProperty(
    nullableText('The text that the receiving server or the provider returned.', '550 5.1.1 no such user'),
  )
  diagnostic: string | null;

  @ApiProperty({
    ...enumOf('What the event asks for.', EFFECT_MEANINGS),
    example: 'suppress',
  })
  effect: Effect;

  @ApiProperty({
    ...enumOf('How the event changed the list.', OUTCOME_MEANINGS),
    example: 'added',
  })
  outcome: Outcome;

  @ApiProperty(REASON)
  reason: string;

  @ApiProperty(SUPPRESSION)
  suppression_id: string | null;

  @ApiProperty(nullableUuid('The id of the topic that the recipient left or joined.', null))
  topic: string | null;

  @ApiProperty(nullableUuid('The rule that allows the address, if a bounce was ignored because of it.', null))
  rule_id: string | null;

  @ApiProperty(nullableTimestamp('When it happened, if the source reports it.', '2026-01-15T09:29:58.000Z'))
  occurred_at: string | null;

  @ApiProperty(timestamp('When the event was received.', '2026-01-15T09:30:00.000Z'))
  received_at: string;

  constructor({ event, source }: ListedEvent) {
    super(event);
    this.kind = event.kind;
    this.email = event.recipient;
    this.source = new EventSourceDto(source);
    this.source_id = event.emailId;
    this.status = event.status;
    this.diagnostic = event.diagnostic;
    this.effect = event.effect;
    this.outcome = event.outcome;
    this.reason = event.reason;
    this.suppression_id = event.suppressionId;
    this.topic = event.topicId;
    this.rule_id = event.ruleId;
    this.occurred_at = event.occurredAt?.toISOString() ?? null;
    this.received_at = event.receivedAt.toISOString();
  }
}

export class ListEventsDto extends CursorDto {
  @ApiPropertyOptional(text('Only events about this address.'))
  @OptionalParsed(parseEmailInQuery)
  email?: EmailAddress;

  @ApiPropertyOptional(uuid('Only events of the source with this id.'))
  @OptionalParsed(parseId)
  source?: string;

  @ApiPropertyOptional(enumOf('Only events of this kind.', DELIVERY_EVENT_KIND_MEANINGS))
  @OptionalOneOf(DELIVERY_EVENT_KINDS)
  kind?: DeliveryEventKind;
}

export class EventsPageDto extends pageOf(EventDto) {}
