import type { DataSource } from 'typeorm';
import { delimitRows, undelimitRows, type DelimitedRows } from '../database/delimited-rows.js';
import { toIsoTimestamp } from '../database/iso-timestamp.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { causesIn, maskOf, NEVER_EXPIRES, type Cause } from '../ledger/cause.js';
import { timestamp, type FeedLine, type FeedRecord } from './feed-line.js';

/** The causes of a record, each with what its ledger line says. */
type Causes = Map<Cause, Pick<FeedRecord, 'emailId' | 'expiresAt'>>;

const COLUMNS = [
  'line.suppression_id',
  'line.cause',
  `coalesce(line.email_id::text, '')`,
  `coalesce(${timestamp('line.expires_at')}, '')`,
];

/** The causes that records had before some lines: those whose last line before it added them. */
const CAUSES_BEFORE = new PreparedStatement<DelimitedRows>(
  'read-causes-before-lines',
  `SELECT ${delimitRows(COLUMNS)}
  FROM unnest($2::uuid[], $3::text[] COLLATE "C", $4::bigint[]) AS first (suppression_id, email, revision)
  CROSS JOIN LATERAL (
    SELECT DISTINCT ON (cause) suppression_id, cause, action, email_id, expires_at
    FROM suppression_changes AS earlier
    WHERE earlier.account_id = $1
      AND earlier.email = first.email
      AND earlier.suppression_id = first.suppression_id
      AND earlier.revision < first.revision
    ORDER BY cause, revision DESC
  ) AS line
  WHERE line.action IN ('added', 'strengthened', 'cause_added')`,
);

/**
 * The record after each line of a page. Earlier lines are read once for each record, however many lines about it the page has.
 *
 * @param lines - in the order of the feed, which is that of the revisions of a record
 */
export async function recordsAfter(
  source: DataSource,
  accountId: number,
  lines: FeedLine[],
): Promise<(FeedRecord | null)[]> {
  const changing = new Set(lines.filter(changesCauses).map(({ own }) => own.id));
  const causes = await causesBefore(source, accountId, firstLines(lines, changing));
  return lines.map((line) => (changing.has(line.own.id) ? applyLine(line, causes) : unchangedRecord(line)));
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

async function causesBefore(
  source: DataSource,
  accountId: number,
  lines: FeedLine[],
): Promise<Map<string, Causes>> {
  const causes = new Map<string, Causes>(lines.map(({ own }) => [own.id, new Map()]));
  if (lines.length > 0) {
    const rows = await CAUSES_BEFORE.run(source, [
      accountId,
      lines.map(({ own }) => own.id),
      lines.map(({ email }) => email),
      lines.map(({ revision }) => revision),
    ]);
    undelimitRows(rows, COLUMNS, (values, first) => {
      const [id, cause, emailId, expiresAt] = values.slice(first, first + COLUMNS.length);
      const added = { emailId: emailId || null, expiresAt: expiresAt ? toIsoTimestamp(expiresAt) : null };
      causes.get(id!)!.set(cause as Cause, added);
    });
  }
  return causes;
}

/** For a record whose causes do not change in the page. */
function unchangedRecord({ action, own, current }: FeedLine): FeedRecord | null {
  return action === 'added' ? own : current;
}

function applyLine({ action, own }: FeedLine, all: Map<string, Causes>): FeedRecord | null {
  const [cause] = own.causes as [Cause];
  const causes: Causes = all.get(own.id) ?? new Map();
  all.set(own.id, causes);
  if (action === 'removed') {
    causes.clear();
  } else if (action === 'cause_removed' || action === 'expired') {
    causes.delete(cause);
  } else {
    causes.set(cause, own);
  }
  return causes.size === 0 ? null : toRecord(own.id, causes);
}

function toRecord(id: string, all: Causes): FeedRecord {
  const causes = causesIn(maskOf([...all.keys()]));
  const ends = causes
    .filter((cause) => !NEVER_EXPIRES.includes(cause))
    .map((cause) => all.get(cause)!.expiresAt);
  const last = ends.includes(null) ? null : (ends.toSorted().at(-1) ?? null);
  return { id, causes, emailId: all.get(causes[0]!)!.emailId, expiresAt: last };
}
