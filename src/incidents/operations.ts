import { HttpCode, HttpStatus } from '@nestjs/common';
import { operationsOf, type PathParam } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { DecideIncidentDto, IncidentDto, IncidentsPageDto } from './incident.dto.js';
import { IncidentDecidedError, IncidentNotFoundError, NothingHeldError } from './errors.js';

const ID_EXAMPLE = '0198a5f7-1b2c-7d3e-8f4a-5b6c7d8e9f0a';

const EXAMPLE: IncidentDto = {
  object: 'incident',
  id: ID_EXAMPLE,
  status: 'open',
  group: null,
  diagnostic: 'The email account that you tried to reach does not exist',
  addresses: 812,
  held: 805,
  delivered_before: 790,
  opened_at: '2026-01-15T09:30:00.000Z',
  closed_at: null,
  decision: null,
};

const PARAM: PathParam = {
  name: 'incident',
  format: 'uuid',
  example: ID_EXAMPLE,
  errors: [IncidentNotFoundError],
};

export const operations = operationsOf('Incidents', {
  listIncidents: {
    scope: 'suppressions:read',
    summary: 'List incidents',
    description:
      'Waves of bounces that look like the fault of a receiving provider, newest first. The setting `incident_guard` of the ' +
      'account says what happens in one.',
    responds: [
      HttpStatus.OK,
      'A page of the incidents.',
      IncidentsPageDto,
      {
        object: 'list',
        has_more: false,
        data: [EXAMPLE],
      },
    ],
  },
  getIncident: {
    scope: 'suppressions:read',
    summary: 'Get an incident',
    params: [PARAM],
    responds: [HttpStatus.OK, 'The incident.', IncidentDto, EXAMPLE],
  },
  decideIncident: {
    scope: 'suppressions:lift',
    summary: 'Decide an incident',
    description:
      'Decides what becomes of the bounces that the incident holds. `lift` lifts those held so far; bounces that ' +
      'follow while the incident is open are held for a day each. `keep` gives them the expiry of other bounces, and holds no ' +
      'more. Without a decision, held bounces expire after a day. The list changes within seconds. Bounces that are not held ' +
      'stay: use a lift by query.',
    params: [PARAM],
    body: { type: DecideIncidentDto, examples: { lift: { value: { decision: 'lift' } } } },
    decorators: [HttpCode(HttpStatus.OK)],
    responds: [
      HttpStatus.OK,
      'The decision is recorded.',
      IncidentDto,
      {
        ...EXAMPLE,
        status: 'decided',
        decision: 'lift',
      },
    ],
    errors: [
      ValidationError.withExample('decision', 'must be one of lift, keep'),
      IncidentDecidedError,
      NothingHeldError,
    ],
  },
});
