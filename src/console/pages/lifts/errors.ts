import { apiError } from '../../../http/errors/api-error.js';

/** The account guards removals, and the person is not an admin. */
export class MassLiftNotAllowedError extends apiError(
  403,
  'mass_lift_not_allowed',
  'Nothing was changed: this account guards removals, so only an admin may do this.',
) {}
