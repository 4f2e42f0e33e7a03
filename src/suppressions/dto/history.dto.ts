import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { actorIn } from '../../audit/actor-columns.js';
import { LimitDto, pageOf } from '../../http/page.js';
import {
  enumOf,
  nullableText,
  nullableTimestamp,
  nullableUuid,
  objectWithId,
  timestamp,
  uuid,
} from '../../http/properties.js';
import { CAUSE_MEANINGS, ORIGIN_MEANINGS, originOf, type Cause, type Origin } from '../../ledger/cause.js';
import { ActorDto } from '../../ledger/evidence.dto.js';
import { liftIdIn, type Evidence } from '../../ledger/evidence.js';
import {
  ACTION_MEANINGS,
  type Action,
  type SuppressionChange,
} from '../../ledger/suppression-change.entity.js';
import { OptionalParsed } from '../../validation/field.decorators.js';
import { parseId } from '../../validation/parsers.js';
import { ID_EXAMPLE } from './suppression.dto.js';

class ChangeDto extends objectWithId('change', { example: '0198a5f2-6d1d-7a10-8b22-9d0c4e5f6a7b' }) {
  @ApiProperty({ ...enumOf('What changed.', ACTION_MEANINGS), example: 'added' })
  action: Action;

  @ApiProperty(nullableUuid('The suppression that changed. Null if a preference changed.', ID_EXAMPLE))
  suppression_id: string | null;

  @ApiProperty(nullableUuid('The topic whose preference changed. Null if a suppression changed.', null))
  topic: string | null;

  @ApiProperty({ example: 'ada@example.com' })
  email: string;

  @ApiProperty({
    ...enumOf(
      'The cause that was added or removed; the strongest one, if the whole suppression was removed. Null if a preference ' +
        'changed.',
      CAUSE_MEANINGS,
    ),
    nullable: true,
    example: 'manual',
  })
  cause: Cause | null;

  @ApiProperty({
    ...enumOf('The cause as a suppression shows it.', ORIGIN_MEANINGS),
    nullable: true,
    example: 'manual',
  })
  origin: Origin | null;

  @ApiProperty(nullableUuid('The id of the email that triggered the change, if any.', null))
  source_id: string | null;

  @ApiProperty({ type: ActorDto, description: 'Who made the change.' })
  actor: ActorDto;

  @ApiProperty(nullableText('The reason given for the change.', 'Asked on the phone'))
  note: string | null;

  @ApiProperty({
    type: 'object',
    nullable: true,
    additionalProperties: true,
    description:
      'The evidence for the change. For a removal or choices of topics: the `consent` of the request. For a change by the ' +
      'recipient: `via` (`one_click`, `page`, or `mail`), `token_hash`, `user_agent`, and the truncated ' +
      '`client_address`. For a lift by query: its id in `lift`, with the `consent`, if there was one. For the revert of an ' +
      'import or of a lift: its id in `reverted_import` or `reverted_lift`. For a hold: the id of the incident in `incident`. ' +
      'For an erasure of the address: its id in `erasure`.',
    example: null,
  })
  evidence: Evidence | null;

  @ApiProperty(nullableUuid('The lift by query that made the change, or whose revert made it.', null))
  lift_id: string | null;

  @ApiProperty(
    nullableTimestamp(
      'When the causes `bounce` and `manual` of the suppression expire, as of this change. Null if never, or if the change is ' +
        'about another cause.',
      null,
    ),
  )
  expires_at: string | null;

  @ApiProperty(nullableUuid('The id of the delivery event that caused the change, if any.', null))
  event_id: string | null;

  @ApiProperty(nullableTimestamp('When the reported event happened, if the report contains this.', null))
  occurred_at: string | null;

  @ApiProperty(timestamp('When the change was made.', '2026-01-15T09:30:00.000Z'))
  created_at: string;

  constructor(change: SuppressionChange) {
    super(change);
    this.action = change.action;
    this.suppression_id = change.suppressionId;
    this.topic = change.topicId;
    this.email = change.email;
    this.cause = change.cause;
    this.origin = change.cause && originOf(change.cause);
    this.source_id = change.emailId;
    this.actor = actorIn(change);
    this.note = change.note;
    this.evidence = change.evidence;
    this.lift_id = liftIdIn(change.evidence);
    this.expires_at = change.expiresAt?.toISOString() ?? null;
    this.event_id = change.eventId;
    this.occurred_at = change.occurredAt?.toISOString() ?? null;
    this.created_at = change.createdAt.toISOString();
  }
}

export class HistoryDto extends LimitDto {
  @ApiPropertyOptional(uuid('Return the changes after the one with this id, which are older.'))
  @OptionalParsed(parseId)
  after?: string;
}

export class HistoryPageDto extends pageOf(
  ChangeDto,
  'In the order in which they were recorded, the last one first. `occurred_at` says what happened when.',
) {}
