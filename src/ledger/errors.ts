import { ApiError } from '../http/errors/api-error.js';

/** The database was restored, or failed over to a server that lacks the last changes. */
export class CursorGoneError extends ApiError {
  readonly statusCode = 410;
  override readonly name = 'validation_error';
  readonly code = 'changes_cursor_gone';

  constructor() {
    super(
      'The changes before this cursor are no longer those that it was issued for: the database was restored from a backup, ' +
        'or failed over. Read the list from GET /exports again, and continue with its header Changes-Cursor.',
    );
  }

  static example(): CursorGoneError {
    return new CursorGoneError();
  }
}
