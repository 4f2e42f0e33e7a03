import { ApiError } from '../http/api-error.js';

export class SuppressionNotFoundError extends ApiError {
  readonly statusCode = 404;
  override readonly name = 'not_found';

  constructor() {
    super('There is no suppression with this id or address.');
  }

  static example(): SuppressionNotFoundError {
    return new SuppressionNotFoundError();
  }
}

export class HistoryNotFoundError extends ApiError {
  readonly statusCode = 404;
  override readonly name = 'not_found';

  constructor() {
    super('There never was a suppression with this id or address.');
  }

  static example(): HistoryNotFoundError {
    return new HistoryNotFoundError();
  }
}
