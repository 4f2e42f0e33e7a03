import type { DataSource } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { LONGEST_WRITE_MS } from '../../database/transaction.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { requireFound } from '../../http/errors/api-error.js';
import { ValidationError } from '../../http/errors/errors.js';
import { canExpire, type Cause } from '../../ledger/cause.js';
import { changeAt, CursorGoneError, type FeedCursor } from '../../ledger/feed-position.js';
import { RecordReplay } from '../../ledger/record-replay.js';
import type { Action } from '../../ledger/suppression-change.entity.js';
import { lowestIdAt } from '../../validation/parsers.js';
import type { RecordWithCauses } from './check-lookup.js';

export interface RecordLine {
  email: EmailAddress;
  action: Action;
  suppressionId: string;
  cause: Cause;
  emailId: string | null;
  /** See `SuppressionChange.expiresAt`; in milliseconds since 1970, infinite if never. */
  expiresAt: number;
}

/**
 * The past record of an address.
 *
 * @param lines - all lines about its records up to that time, in the order of their revisions
 * @param at - the time of the check: a cause that had expired does not count, even if no line says so yet
 * @returns null if the address had no record
 */
export function recordAt(lines: RecordLine[], at: number): RecordWithCauses | null {
  const replay = new RecordReplay<RecordLine>();
  lines.forEach((line) => replay.apply(line));
  const hasExpired = (replay.lastExpirable?.expiresAt ?? Infinity) <= at;
  const causes = replay.causes.filter((cause) => !(hasExpired && canExpire(cause)));
  const [strongest] = causes;
  if (!strongest) {
    return null;
  }
  const { suppressionId: id, email, cause, emailId } = replay.lineOf(strongest);
  return { id, email, cause, emailId, causes };
}

export interface PastLine extends RecordLine {
  id: string;
  /** Milliseconds since 1970. */
  createdAt: number;
}

const FIND_CHANGE = new PreparedStatement<{ createdAt: Date }>(
  'find-change-at-position',
  `SELECT created_at AS "createdAt"
  FROM suppression_changes
  WHERE account_id = $1
    AND id = $3
    AND id = ${changeAt('$1', '$2')}`,
);

/** Reads the pages before a position, back to the first page whose changes are all older than `$4`. */
const FIND_NUMBERED = new PreparedStatement<{ id: string }>(
  'find-changes-up-to-position',
  `SELECT change_id AS id
  FROM feed_pages, unnest(change_ids) WITH ORDINALITY AS line (change_id, number)
  WHERE account_id = $1
    AND first_position <= $2
    AND first_position >= coalesce(
      (
        SELECT first_position
        FROM feed_pages
        WHERE account_id = $1 AND first_position <= $2 AND change_ids[1] < $4::uuid
        ORDER BY first_position DESC
        LIMIT 1
      ),
      0
    )
    AND first_position + number - 1 <= $2
    AND change_id = ANY ($3::uuid[])`,
);

/**
 * When the last change before a cursor was made, in milliseconds since 1970.
 *
 * @throws {CursorGoneError}
 * @throws {ValidationError} when the cursor belongs to another account
 */
export async function timeOfCursor(
  dataSource: DataSource,
  accountId: number,
  { accountId: owner, position, changeId }: FeedCursor,
): Promise<number> {
  if (owner !== accountId) {
    throw ValidationError.ofField('as_of', 'must be a cursor of the account that the API key belongs to');
  }
  if (position === 0) {
    return 0;
  }
  const [change] = await FIND_CHANGE.run(dataSource, [accountId, position, changeId]);
  return requireFound(change, CursorGoneError).createdAt.getTime();
}

/**
 * The lines before a cursor. A line is committed soon after it is made, so the position decides only for lines from about the
 * same time.
 *
 * @param cursor - `at` is the time of the cursor
 */
export async function linesUpTo(
  dataSource: DataSource,
  accountId: number,
  { position, at }: FeedCursor & { at: number },
  lines: PastLine[],
): Promise<PastLine[]> {
  const isRecent = ({ createdAt }: PastLine) => createdAt >= at - LONGEST_WRITE_MS;
  const recent = lines.filter(isRecent).map(({ id }) => id);
  const oldest = lowestIdAt(Math.max(0, at - 2 * LONGEST_WRITE_MS));
  const found = await FIND_NUMBERED.run(dataSource, [accountId, position, recent, oldest]);
  const numbered = new Set(found.map(({ id }) => id));
  return lines.filter((line) => !isRecent(line) || numbered.has(line.id));
}
