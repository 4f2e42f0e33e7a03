import { applyDecorators, HttpCode, HttpStatus } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../api-keys/require-scope.decorator.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { ValidationError } from '../http/errors/errors.js';
import { Responds } from '../http/responses/responds.decorator.js';
import { DecideIncidentDto, IncidentDto, IncidentsPageDto } from './dto/incident.dto.js';
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
const PARAM = { name: 'incident', type: String, format: 'uuid', example: ID_EXAMPLE };

export function ListIncidents(): MethodDecorator {
  return applyDecorators(
    RequireScope('suppressions:read'),
    ApiTags('Incidents'),
    ApiOperation({
      operationId: 'listIncidents',
      summary: 'List incidents',
      description:
        'Waves of bounces that look like the fault of a receiving provider, newest first. The setting `incident_guard` of the ' +
        'account says what happens in one.',
    }),
    Responds(HttpStatus.OK, 'A page of the incidents.', IncidentsPageDto, {
      object: 'list',
      has_more: false,
      data: [EXAMPLE],
    }),
    ApiErrors(ValidationError.withExample('limit', 'must be a whole number from 1 to 100')),
  );
}

export function GetIncident(): MethodDecorator {
  return applyDecorators(
    RequireScope('suppressions:read'),
    ApiTags('Incidents'),
    ApiOperation({ operationId: 'getIncident', summary: 'Get an incident' }),
    ApiParam(PARAM),
    Responds(HttpStatus.OK, 'The incident.', IncidentDto, EXAMPLE),
    ApiErrors(IncidentNotFoundError),
  );
}

export function DecideIncident(): MethodDecorator {
  return applyDecorators(
    HttpCode(HttpStatus.OK),
    RequireScope('suppressions:lift'),
    ApiTags('Incidents'),
    ApiOperation({
      operationId: 'decideIncident',
      summary: 'Decide an incident',
      description:
        'Decides what becomes of the bounces that the incident holds. `lift` lifts those held so far; bounces that ' +
        'follow while the incident is open are held for a day each. `keep` gives them the expiry of other bounces, and holds no ' +
        'more. Without a decision, held bounces expire after a day. The list changes within seconds. Bounces that are not held ' +
        'stay: use a lift by query.',
    }),
    ApiParam(PARAM),
    ApiBody({ type: DecideIncidentDto, examples: { lift: { value: { decision: 'lift' } } } }),
    Responds(HttpStatus.OK, 'The decision is recorded.', IncidentDto, {
      ...EXAMPLE,
      status: 'decided',
      decision: 'lift',
    }),
    ApiErrors(
      ValidationError.withExample('decision', 'must be one of lift, keep'),
      IncidentNotFoundError,
      IncidentDecidedError,
      NothingHeldError,
    ),
  );
}
