import { apiError } from '../http/errors/api-error.js';

/**
 * The database was restored from a backup, or failed over to a server that lacks the last changes. Some changes that were read
 * before this cursor no longer exist.
 *
 * Read the list from `GET /exports` again and replace the copy. Then continue with the cursor in the header `Changes-Cursor` of
 * that response.
 */
export class CursorGoneError extends apiError(
  410,
  'changes_cursor_gone',
  'The changes before this cursor are no longer those that it was issued for: the database was restored from a backup, ' +
    'or failed over. Read the list from GET /exports again, and continue with its header Changes-Cursor.',
) {}
