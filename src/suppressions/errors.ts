import { apiError } from '../http/errors/api-error.js';
import type { Cause } from '../ledger/cause.js';

/**
 * The list of this account has no such record.
 *
 * This is a normal answer: the address is not suppressed. Records of other accounts are not found either. To learn whether a
 * rule or a topic blocks the address, use `POST /suppressions/check`.
 */
export class SuppressionNotFoundError extends apiError(
  404,
  'suppression_not_found',
  'No suppression has this id or address.',
) {}

/** The address has never been on the list of this account. */
export class HistoryNotFoundError extends apiError(
  404,
  'history_not_found',
  'No suppression has ever had this id or address. GET /events?email= lists what was reported about an address.',
) {}

/**
 * The address is not suppressed, or not for this cause.
 *
 * Nothing was changed. `GET /suppressions/:suppression?include=causes` lists the causes.
 */
export class CauseNotFoundError extends apiError(
  404,
  'cause_not_found',
  'No suppression with this id or address has this cause.',
) {}

/**
 * The account guards removals (`removal: guarded`), and the request lacks the evidence or the scope to lift the causes of the
 * suppression.
 *
 * Nothing was removed, not even from a batch. To lift a bounce, send a `note`. To lift a complaint or an unsubscribe, send a
 * `consent` with a key that has the scope `suppressions:lift`. [Verdicts](verdicts.md#guarded-removals) has an example. `GET
 * /account` shows the setting.
 */
export class RemovalNotAllowedError extends apiError(403, 'removal_not_allowed', sentencesAbout, {
  example: [['complaint']],
}) {}

function sentencesAbout(refused: readonly Cause[]): string {
  const needs = [
    refused.includes('bounce') && 'Lifting a bounce needs a note.',
    refused.some((cause) => cause !== 'bounce') &&
      'Lifting a complaint or an unsubscribe needs the scope suppressions:lift and a consent.',
  ];
  return ['This account guards removals.', ...needs.filter(Boolean), 'Nothing was removed.'].join(' ');
}
