import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { OUTCOMES, type Outcome } from '../parsing/delivery-event.js';
import type { EventResult } from '../inbox/event-result.js';
import { OWN_EVENT_TYPES, type OwnEventType } from '../own-event.js';

/** Read by `parseOwnEvents`, since a body may be one or an array of them. */
@ApiSchema({ name: 'Event' })
export class EventDto {
  @ApiProperty({ enum: OWN_EVENT_TYPES, description: 'What happened.', example: 'bounce' })
  type!: OwnEventType;

  @ApiProperty({ type: String, description: 'Whom it happened to.', example: 'gone@example.com' })
  email!: string;

  @ApiPropertyOptional({ type: String, format: 'uuid', description: 'The mail that it happened to.' })
  source_id?: string | null;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'When it happened.' })
  occurred_at?: string | null;

  @ApiPropertyOptional({
    type: String,
    description: 'Of a bounce: its enhanced status code.',
    example: '5.1.1',
  })
  status?: string | null;

  @ApiPropertyOptional({
    type: String,
    description: 'Of a bounce: what the server said. With it or a status, only a lasting failure suppresses.',
    example: '550 5.1.1 no such user',
  })
  diagnostic?: string | null;
}

@ApiSchema({ name: 'EventResult' })
export class EventResultDto {
  @ApiProperty({ enum: ['event'], example: 'event' })
  object = 'event' as const;

  @ApiProperty({
    enum: OUTCOMES,
    description: 'What it did to the list. The same event told again shows what it did the first time.',
    example: 'added',
  })
  outcome: Outcome;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The record that it made or met.',
  })
  suppression_id: string | null;

  constructor({ outcome, suppressionId }: EventResult) {
    this.outcome = outcome;
    this.suppression_id = suppressionId;
  }
}

@ApiSchema({ name: 'EventResults' })
export class EventResultsDto {
  @ApiProperty({ description: 'One element for each event, in the order told.', type: [EventResultDto] })
  data: EventResultDto[];

  constructor(outcomes: EventResult[]) {
    this.data = outcomes.map((outcome) => new EventResultDto(outcome));
  }
}
