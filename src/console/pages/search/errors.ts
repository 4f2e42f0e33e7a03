import { apiError } from '../../../http/errors/api-error.js';
import type { Cause } from '../../../ledger/cause.js';
import { CAUSE_NAMES, listOf } from '../../components/words.js';
import type { Role } from '../../people/roles.js';

/** No suppression, past or present, has this id. */
export class UnknownSuppressionError extends apiError(
  404,
  'unknown_suppression',
  'No suppression has ever had this id. Search for the address instead.',
) {}

/** Somebody else lifted it, or it expired, since the page with the form was opened. */
export class AlreadyLiftedError extends apiError(404, 'already_lifted', (causes: readonly Cause[]) => {
  const names = listOf(causes.map((cause) => CAUSE_NAMES[cause]));
  return `Nothing was changed, because this was lifted before: ${names}. The history below says when, and by whom.`;
}) {}

/** The account guards removals. */
export class LiftNotAllowedError extends apiError(403, 'lift_not_allowed', (role: Role) =>
  role === 'admin'
    ? 'Nothing was lifted: this account guards removals. Lifting a bounce needs a note, and lifting a spam complaint ' +
      'or an unsubscribe needs a record of the recipient’s consent.'
    : 'Nothing was lifted: this account guards removals. Lifting a bounce needs a note. Only an admin lifts a spam ' +
      'complaint or an unsubscribe.',
) {}
