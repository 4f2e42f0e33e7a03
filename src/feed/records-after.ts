import type { DataSource } from 'typeorm';
import { type DelimitedRows, delimitRows, RowSet, undelimitRows } from '../database/rows.js';
import { toIsoTimestamp } from '../database/iso-timestamp.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { canExpire, type Cause } from '../ledger/cause.js';
import { RecordReplay, type ReplayedLine } from '../ledger/record-replay.js';
import type { Action } from '../ledger/suppression-change.entity.js';
import { timestamp, type FeedLine, type FeedRecord } from './feed-line.js';

type Replay = RecordReplay<ReplayedLine & Pick<FeedRecord, 'emailId' | 'expiresAt'>>;

const COLUMNS = [
  'line.suppression_id',
  'line.action',
  'line.cause',
  `coalesce(line.email_id::text, '')`,
  `coalesce(${timestamp('line.expires_at')}, '')`,
];

const FIRST_LINES = new RowSet(2, { suppressionId: 'uuid', email: 'text', revision: 'bigint' });

/** Reads the last line about each cause of some records before a revision, in the order of the revisions. */
const LINES_BEFORE = new PreparedStatement<DelimitedRows>(
  'read-lines-before-revisions',
  `SELECT ${delimitRows(COLUMNS)}
  FROM (
    SELECT last.*
    FROM ${FIRST_LINES.as('first')}
    CROSS JOIN LATERAL (
      SELECT DISTINCT ON (cause) suppression_id, revision, action, cause, email_id, expires_at
      FROM suppression_changes AS earlier
      WHERE earlier.account_id = $1
        AND earlier.email = first.email
        AND earlier.suppression_id = first.suppression_id
        AND earlier.revision < first.revision
      ORDER BY cause, revision DESC
    ) AS last
    ORDER BY last.revision
  ) AS line`,
);

/**
 * Returns the record after each line of a page. Earlier lines are read once for each record, however many lines about it the
 * page has.
 *
 * @param lines - in the order of the feed, which is that of the revisions of a record
 */
export async function recordsAfter(
  source: DataSource,
  accountId: number,
  lines: FeedLine[],
): Promise<(FeedRecord | null)[]> {
  const changing = new Set(lines.filter(changesCauses).map(({ own }) => own.id));
  const replays = await replaysBefore(source, accountId, firstLines(lines, changing));
  return lines.map((line) => (changing.has(line.own.id) ? applyLine(line, replays) : unchangedRecord(line)));
}

function changesCauses({ action }: FeedLine): boolean {
  return action !== 'added' && action !== 'removed' && action !== 'opted_in' && action !== 'opted_out';
}

/** The first line of each record, unless it adds the record. */
function firstLines(lines: FeedLine[], ids: Set<string>): FeedLine[] {
  const first = new Map<string, FeedLine>();
  for (const line of lines) {
    if (ids.has(line.own.id) && !first.has(line.own.id)) {
      first.set(line.own.id, line);
    }
  }
  return [...first.values()].filter(({ action }) => action !== 'added');
}

async function replaysBefore(
  source: DataSource,
  accountId: number,
  lines: FeedLine[],
): Promise<Map<string, Replay>> {
  const replays = new Map<string, Replay>(lines.map(({ own }) => [own.id, new RecordReplay()]));
  if (lines.length > 0) {
    const first = lines.map(({ own, email, revision }) => ({ suppressionId: own.id, email, revision }));
    const rows = await LINES_BEFORE.run(source, [accountId, ...FIRST_LINES.values(first)]);
    undelimitRows(rows, COLUMNS, (values, start) => {
      const [id, action, cause, emailId, expiresAt] = values.slice(start, start + COLUMNS.length);
      replays.get(id!)!.apply({
        action: action as Action,
        cause: cause as Cause,
        emailId: emailId || null,
        expiresAt: expiresAt ? toIsoTimestamp(expiresAt) : null,
      });
    });
  }
  return replays;
}

/** Returns the record after a line, for a record whose causes do not change in the page. */
function unchangedRecord({ action, own, current }: FeedLine): FeedRecord | null {
  return action === 'added' ? own : current;
}

function applyLine({ action, own }: FeedLine, replays: Map<string, Replay>): FeedRecord | null {
  const replay = replays.get(own.id) ?? new RecordReplay();
  replays.set(own.id, replay);
  replay.apply({ action, cause: own.causes[0]!, emailId: own.emailId, expiresAt: own.expiresAt });
  return toRecord(own.id, replay);
}

function toRecord(id: string, replay: Replay): FeedRecord | null {
  const { causes, lastExpirable } = replay;
  const [strongest] = causes;
  if (!strongest) {
    return null;
  }
  const expiresAt = causes.some(canExpire) ? lastExpirable!.expiresAt : null;
  return { id, causes, emailId: replay.lineOf(strongest).emailId, expiresAt };
}
