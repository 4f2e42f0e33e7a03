import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { enumOf } from '../../validation/enum-of.js';
import type { ListedEvent } from '../events.service.js';
import { DELIVERY_EVENT_KIND_MEANINGS, type DeliveryEventKind } from '../parsing/delivery-event.js';
import { EFFECT_MEANINGS, type Effect } from '../parsing/effect.js';
import { OUTCOME_MEANINGS, type Outcome } from '../parsing/outcome.js';
import { EventSourceDto } from './event-source.dto.js';
import { nullableText, nullableTimestamp, nullableUuid, text, timestamp } from '../../http/properties.js';

@ApiSchema({ name: 'Event' })
export class EventDto {
  @ApiProperty({ enum: ['event'], example: 'event' })
  object = 'event' as const;

  @ApiProperty({ format: 'uuid', example: '0198a5f2-6d1d-7a10-8b22-9d0c4e5f6a7b' })
  id: string;

  @ApiProperty({
    ...enumOf('What happened.', DELIVERY_EVENT_KIND_MEANINGS),
    example: 'bounce',
  })
  kind: DeliveryEventKind;

  @ApiProperty(nullableText('The recipient. Null if the event names no valid address.', 'gone@example.com'))
  email: string | null;

  @ApiProperty({ type: EventSourceDto, description: 'Where the event came from.' })
  source: EventSourceDto;

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

  @ApiProperty(text('Why the event has this effect or outcome.', 'The mailbox does not exist.'))
  reason: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The suppression that the event changed, or that existed already.',
    example: '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11',
  })
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
    this.id = event.id;
    this.kind = event.kind;
    this.email = event.recipient;
    this.source = new EventSourceDto(source);
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
