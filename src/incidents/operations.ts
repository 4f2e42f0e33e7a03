import { HttpCode, HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { idParam } from '../http/path-param.js';
import { exampleOf } from '../http/responses/response.decorators.js';
import { DecideIncidentDto, IncidentDto, IncidentsPageDto } from './incident.dto.js';
import { IncidentDecidedError, IncidentNotFoundError, NothingHeldError } from './errors.js';

const EXAMPLE = exampleOf(IncidentDto, { held: 805 });

export const IncidentId = idParam('incident', IncidentNotFoundError, { example: EXAMPLE.id });

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
      exampleOf(IncidentsPageDto, { data: [EXAMPLE] }),
    ],
  },
  getIncident: {
    scope: 'suppressions:read',
    summary: 'Get an incident',
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
    body: { type: DecideIncidentDto, examples: { lift: { value: { decision: 'lift' } } } },
    decorators: [HttpCode(HttpStatus.OK)],
    responds: [
      HttpStatus.OK,
      'The decision is recorded.',
      IncidentDto,
      { ...EXAMPLE, status: 'decided', decision: 'lift' },
    ],
    errors: [
      ValidationError.withExample('decision', 'must be one of lift, keep'),
      IncidentDecidedError,
      NothingHeldError,
    ],
  },
});
