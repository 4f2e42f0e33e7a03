import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import { announceEvent, createEvent } from '../announcements/events.js';
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
import { OneOf } from '../validation/field.decorators.js';
import { RejectUnknownFields } from '../validation/unknown-fields.js';
import {
  INCIDENT_DECISION_MEANINGS,
  INCIDENT_DECISIONS,
  INCIDENT_STATUS_MEANINGS,
  type IncidentDecision,
  type IncidentStatus,
} from './incident-states.js';
import { statusOf, type Incident } from './incident.entity.js';

export class ListIncidentsDto extends CursorDto {}

@ApiSchema({ name: 'DecideIncidentRequest' })
@RejectUnknownFields()
export class DecideIncidentDto {
  @ApiProperty({
    ...enumOf('What becomes of the held bounces.', INCIDENT_DECISION_MEANINGS),
    example: 'lift',
  })
  @OneOf(INCIDENT_DECISIONS)
  decision!: IncidentDecision;
}

export class IncidentDto extends objectWithId('incident', uuid('', '0198a5f7-1b2c-7d3e-8f4a-5b6c7d8e9f0a')) {
  @ApiProperty({ ...enumOf('', INCIDENT_STATUS_MEANINGS), example: 'open' })
  status: IncidentStatus;

  @ApiProperty(
    nullableText(
      'The group of receiving domains that bounced, by its first domain: `gmail.com` includes googlemail.com. Null if the ' +
        'incident is about a diagnostic.',
      null,
    ),
  )
  group: string | null;

  @ApiProperty(
    nullableText(
      'What the servers answered, with `…` in place of addresses, hosts, and words with digits. Null if the incident is about ' +
        'a group.',
      'The email account that you tried to reach does not exist',
    ),
  )
  diagnostic: string | null;

  @ApiProperty({ type: 'integer', description: 'How many addresses bounced.', example: 812 })
  addresses: number;

  @ApiProperty({ type: 'integer', description: 'How many suppressions were held.', example: 0 })
  held: number;

  @ApiProperty(integer('How many of the addresses an email was delivered to in the 30 days before.', 790))
  delivered_before: number;

  @ApiProperty(timestamp('', '2026-01-15T09:30:00.000Z'))
  opened_at: string;

  @ApiProperty(nullableTimestamp('When no such wave had been reported for 60 minutes.', null))
  closed_at: string | null;

  @ApiProperty({
    ...enumOf('', INCIDENT_DECISION_MEANINGS),
    nullable: true,
    example: null,
  })
  decision: IncidentDecision | null;

  constructor(incident: Incident) {
    super(incident);
    this.status = statusOf(incident);
    this.group = incident.group;
    this.diagnostic = incident.diagnostic;
    this.addresses = incident.addresses;
    this.held = incident.held;
    this.delivered_before = incident.deliveredBefore;
    this.opened_at = incident.openedAt.toISOString();
    this.closed_at = incident.closedAt?.toISOString() ?? null;
    this.decision = incident.decision;
  }
}

export class IncidentsPageDto extends pageOf(IncidentDto) {}

/** Sends an incident to the webhooks of its account, as `GET /incidents/:id` shows it. */
export async function announceIncident(
  transaction: EntityManager,
  type: 'incident.opened' | 'incident.closed' | 'incident.decided',
  incident: Incident,
  at: Date,
): Promise<void> {
  await announceEvent(
    transaction,
    incident.accountId,
    createEvent(type, incident.id, at, new IncidentDto(incident)),
  );
}
