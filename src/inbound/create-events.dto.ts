import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { enumOf, nullableUuid, text, timestamp, uuid } from '../http/properties.js';
import { OUTCOME_MEANINGS, type Outcome } from './parsing/delivery-event.js';
import { MAX_DIAGNOSTIC_LENGTH, POSTED_EVENT_TYPES, type PostedEventType } from './posted-events.js';
import type { EventResult } from './projection/event-outcome.js';

/** Only documents the body. `parsePostedEvents` reads it, since it may be one event or an array of events. */
@ApiSchema({ name: 'PostedEvent' })
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

@ApiSchema({ name: 'EventResult' })
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

  @ApiProperty(text('Why the event has this effect or outcome.', 'The mailbox does not exist.'))
  reason: string;

  @ApiProperty(nullableUuid('The suppression that the event changed, or that existed already.'))
  suppression_id: string | null;

  constructor({ outcome, reason, suppressionId }: EventResult) {
    this.outcome = outcome;
    this.reason = reason;
    this.suppression_id = suppressionId;
  }
}

@ApiSchema({ name: 'EventResults' })
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
