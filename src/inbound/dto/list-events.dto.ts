import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { IsIn, IsOptional } from 'class-validator';
import { parseEmailAddress, type EmailAddress } from '../../email-address/email-address.js';
import { CursorDto, PageDto, type Page } from '../../http/page.js';
import { parseId } from '../../validation/id.js';
import { IsParsed, Parse } from '../../validation/parse.decorator.js';
import type { ListedEvent } from '../events.service.js';
import {
  DELIVERY_EVENT_KIND_MEANINGS,
  DELIVERY_EVENT_KINDS,
  EFFECT_MEANINGS,
  OUTCOME_MEANINGS,
  type DeliveryEventKind,
  type Effect,
  type Outcome,
} from '../parsing/delivery-event.js';
import type { Source } from '../sources/source.entity.js';
import { enumOf } from '../../validation/enum-of.js';

export class ListEventsDto extends CursorDto {
  @ApiPropertyOptional({ type: String, description: 'Only events about this address.' })
  @Expose()
  @Parse(parseEmailAddress)
  @IsOptional()
  @IsParsed('isEmail', 'must be an email address')
  email?: EmailAddress;

  @ApiPropertyOptional({
    type: String,
    format: 'uuid',
    description: 'Only events of the source with this id.',
  })
  @Expose()
  @Parse(parseId)
  @IsOptional()
  @IsParsed('isId', 'must be an id')
  source?: string;

  @ApiPropertyOptional(enumOf('Only events of this kind.', DELIVERY_EVENT_KIND_MEANINGS))
  @Expose()
  @IsOptional()
  @IsIn(DELIVERY_EVENT_KINDS, { message: `must be one of ${DELIVERY_EVENT_KINDS.join(', ')}` })
  kind?: DeliveryEventKind;
}

@ApiSchema({ name: 'EventSource' })
export class EventSourceDto {
  @ApiProperty({ format: 'uuid', example: '0198a5f0-52b3-7a41-8c6d-7e8f9a0b1c2d' })
  id: string;

  @ApiProperty({ description: 'The name that the ledger shows.', example: 'sendgrid' })
  name: string;

  @ApiProperty({
    description: 'The provider that sends the events; `event` for events that were posted to the API.',
    example: 'sendgrid',
  })
  provider: string;

  constructor({ id, name, provider }: Source) {
    this.id = id;
    this.name = name;
    this.provider = provider;
  }
}

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

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The recipient. Null if the event names none, or none that is an address.',
    example: 'gone@example.com',
  })
  email: string | null;

  @ApiProperty({ type: EventSourceDto, description: 'Where the event came from.' })
  source: EventSourceDto;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The enhanced status code (RFC 3463), if one is known.',
    example: '5.1.1',
  })
  status: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'What the receiving server or the provider said.',
    example: '550 5.1.1 no such user',
  })
  diagnostic: string | null;

  @ApiProperty({
    ...enumOf('What the event asks for.', EFFECT_MEANINGS),
    example: 'suppress',
  })
  effect: Effect;

  @ApiProperty({
    ...enumOf('What the event did to the list.', OUTCOME_MEANINGS),
    example: 'added',
  })
  outcome: Outcome;

  @ApiProperty({
    description: 'Why the event has this effect or outcome.',
    example: 'the mailbox does not exist',
  })
  reason: string;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The suppression that the event changed, or that existed already.',
    example: '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11',
  })
  suppression_id: string | null;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The id of the topic that the recipient left or joined.',
    example: null,
  })
  topic: string | null;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The rule because of which a bounce was ignored.',
    example: null,
  })
  rule_id: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When it happened, if the source says so.',
    example: '2026-01-15T09:29:58.000Z',
  })
  occurred_at: string | null;

  @ApiProperty({
    format: 'date-time',
    description: 'When the event was received.',
    example: '2026-01-15T09:30:00.000Z',
  })
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

@ApiSchema({ name: 'EventsPage' })
export class EventsPageDto extends PageDto {
  @ApiProperty({ description: 'Newest first.', type: [EventDto] })
  data: EventDto[];

  constructor({ elements, hasMore }: Page<ListedEvent>) {
    super(hasMore);
    this.data = elements.map((element) => new EventDto(element));
  }
}
