import { ApiError } from '../http/errors/api-error.js';
import type { Cause } from '../ledger/cause.js';

export class SuppressionNotFoundError extends ApiError {
  readonly statusCode = 404;
  override readonly name = 'not_found';
  readonly code = 'suppression_not_found';

  constructor() {
    super('No suppression has this id or address.');
  }

  static example(): SuppressionNotFoundError {
    return new SuppressionNotFoundError();
  }
}

export class HistoryNotFoundError extends ApiError {
  readonly statusCode = 404;
  override readonly name = 'not_found';
  readonly code = 'history_not_found';

  constructor() {
    super(
      'No suppression has ever had this id or address. GET /events?email= lists what was reported about an address.',
    );
  }

  static example(): HistoryNotFoundError {
    return new HistoryNotFoundError();
  }
}

export class CauseNotFoundError extends ApiError {
  readonly statusCode = 404;
  override readonly name = 'not_found';
  readonly code = 'cause_not_found';

  constructor() {
    super('No suppression with this id or address has this cause.');
  }

  static example(): CauseNotFoundError {
    return new CauseNotFoundError();
  }
}

export class RemovalNotAllowedError extends ApiError {
  readonly statusCode = 403;
  override readonly name = 'validation_error';
  readonly code = 'removal_not_allowed';

  /** @param refused - the causes that were not allowed to be lifted */
  constructor(refused: readonly Cause[]) {
    const needs = [
      refused.includes('bounce') && 'Lifting a bounce needs a note.',
      refused.some((cause) => cause !== 'bounce') &&
        'Lifting a complaint or an unsubscribe needs the scope suppressions:lift and a consent.',
    ];
    super(['This account guards removals.', ...needs.filter(Boolean), 'Nothing was removed.'].join(' '));
  }

  static example(): RemovalNotAllowedError {
    return new RemovalNotAllowedError(['complaint']);
  }
}
