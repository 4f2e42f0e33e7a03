import { apiError } from '../http/errors/api-error.js';

/**
 * The account has no incident with this id.
 *
 * `GET /incidents` lists the incidents.
 */
export class IncidentNotFoundError extends apiError(404, 'incident_not_found', 'No incident has this id.') {}

/**
 * The incident holds no bounces, so there is nothing to lift.
 *
 * Find its bounces with a lift by query, by the text and the time of the incident: `POST /lifts`.
 */
export class NothingHeldError extends apiError(
  409,
  'nothing_held',
  'The incident holds no bounces, so nothing was decided. Find its bounces with a lift by query.',
) {}

/**
 * The incident has already been decided.
 *
 * The field `decision` of the incident has the decision. If it was wrong, lift the bounces by query, or add them again.
 */
export class IncidentDecidedError extends apiError(
  409,
  'incident_decided',
  (decision: string) => `This incident has already been decided: ${decision}.`,
  { example: ['lift'] },
) {}
