import { ApiError } from '../http/api-error.js';

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
