import type { EntityManager } from 'typeorm';
import { announceEvent, createEvent } from '../announcements/events.js';
import { IncidentDto } from './incident.dto.js';
import type { Incident } from './incident.entity.js';

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
