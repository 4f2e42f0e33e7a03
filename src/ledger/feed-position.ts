import { apiError } from '../http/errors/api-error.js';
import { idFromHex, Invalid } from '../validation/parsers.js';

/** A place in the feed of an account. */
export interface FeedPosition {
  /** The number of changes before it. */
  position: number;
  /**
   * The id of the last change before it, which proves that the feed is still the same one. Null at the beginning, and where
   * the position is stored in the same database, so that both are restored together.
   */
  changeId: string | null;
}

export const BEGINNING: FeedPosition = { position: 0, changeId: null };

/** SQL for the last position in the feed of the account `$1`. */
export const LAST_POSITION = 'coalesce((SELECT last_position FROM feed_heads WHERE account_id = $1), 0)';

/**
 * SQL for the id of the change at a position in the feed of an account, null if no change has the position. The limit keeps the
 * subscript of a position far beyond the end within an integer.
 */
export function changeAt(accountId: string, position: string): string {
  return `(
    SELECT change_ids[least(${position} - first_position + 1, 1000)]
    FROM feed_pages
    WHERE feed_pages.account_id = ${accountId} AND first_position <= ${position}
    ORDER BY first_position DESC
    LIMIT 1
  )`;
}

/** A position as callers see it: opaque to them. */
export interface FeedCursor extends FeedPosition {
  accountId: number;
}

const VERSION = 1;
const LENGTH = 1 + 4 + 8 + 16;
const NO_ID = Buffer.alloc(16);

export function writeCursor({ accountId, position, changeId }: FeedCursor): string {
  const bytes = Buffer.alloc(LENGTH);
  bytes.writeUInt8(VERSION, 0);
  bytes.writeUInt32BE(accountId, 1);
  bytes.writeBigUInt64BE(BigInt(position), 5);
  bytes.write(changeId?.replaceAll('-', '') ?? '', 13, 'hex');
  return bytes.toString('base64url');
}

export function parseCursor(input: unknown): FeedCursor | Invalid {
  const bytes = Buffer.from(typeof input === 'string' ? input : '', 'base64url');
  const isCanonical = bytes.toString('base64url') === input;
  const isComplete = isCanonical && bytes.length === LENGTH && bytes[0] === VERSION;
  const position = isComplete ? Number(bytes.readBigUInt64BE(5)) : NaN;
  if (!Number.isSafeInteger(position)) {
    return new Invalid('must be a cursor that GET /changes or the header Changes-Cursor returned');
  }
  const id = bytes.subarray(13);
  return {
    accountId: bytes.readUInt32BE(1),
    position,
    changeId: id.equals(NO_ID) ? null : idFromHex(id.toString('hex')),
  };
}

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
