import { apiError, withAdvice } from '../http/errors/api-error.js';

/** Each lift may store a million lines. */
export const MAX_PENDING_LIFTS = 20;

/**
 * The account has no lift with this id.
 *
 * `GET /lifts` lists the lifts of the account. A lift is deleted 90 days after its last step.
 */
export class LiftNotFoundError extends apiError(
  404,
  'lift_not_found',
  'The account has no lift with this id.',
) {}

/**
 * The status of the lift does not allow this: only a plan that was counted in the last 24 hours can be applied, and only a lift
 * that was applied in the last 30 days can be reverted.
 *
 * Nothing was changed. `GET /lifts/:lift` shows the status. If the plan has expired, create the lift again.
 */
export class LiftStatusError extends apiError(409, 'lift_status', (message: string) => message, {
  example: ['The lift is still counting. Apply it when its status is ready.'],
}) {}

/**
 * The lift would remove more than 1,000 suppressions, and more than 5 % of the list.
 *
 * Nothing was changed. Look at the lift and its lines. To apply it, repeat the request with `confirm`, the `count` of the lift.
 */
export class ConfirmationRequiredError extends apiError(
  409,
  'confirmation_required',
  (count: number) =>
    withAdvice(
      `This lift would remove ${count} suppressions.`,
      'confirm',
      `To apply it, send {"confirm": ${count}}.`,
    ),
  { example: [20_000] },
) {}

/**
 * The account guards removals (`removal: guarded`), and the request lacks a `consent`.
 *
 * Nothing was changed. Send the `consent` with the request. If the suppressions were a mistake, its kind is `our_error`, and its
 * reference says where the mistake is documented.
 */
export class ConsentRequiredError extends apiError(403, 'consent_required', () =>
  withAdvice(
    'This account guards removals. Nothing was lifted.',
    'consent',
    'To apply a lift, send a `consent`.',
  ),
) {}

/**
 * The account has 20 lifts that are being counted, applied, or reverted.
 *
 * The lift was not created. Try again when one of them has ended.
 */
export class TooManyLiftsError extends apiError(
  409,
  'too_many_lifts',
  `The account has ${MAX_PENDING_LIFTS} lifts that are being counted, applied, or reverted. Try again when one of them has ended.`,
) {}
