import { Injectable } from '@nestjs/common';
import { delimitRows, undelimitRows } from '../database/rows.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { ReadReplica } from '../database/read-replica.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { causesIn, type Cause } from '../ledger/cause.js';
import { LAST_POSITION } from '../ledger/feed-position.js';
import {
  filterParameters,
  hasCauses,
  hasDomain,
  idRangeOf,
  type SuppressionFilter,
} from '../suppressions/suppression-filter.js';
import { createdAtOf } from '../suppressions/suppression-id.js';
import { IS_LIVE, LIVE_CAUSES, liveCauses } from '../suppressions/suppression.entity.js';

export interface ExportedSuppression {
  id: string;
  email: EmailAddress;
  cause: Cause;
  /** All causes, the strongest first. */
  causes: Cause[];
  emailId: string | null;
  /** When a bounce and a manual entry end, in RFC 3339; null if never. */
  expiresAt: string | null;
  /** RFC 3339, in UTC. */
  createdAt: string;
  /** The latest note in its history. */
  note: string | null;
}

/** Enough to keep PostgreSQL busy; a page takes a fraction of the statement timeout. */
const PAGE_SIZE = 2_000;

const COLUMNS = [
  'id',
  'email',
  'cause',
  'weaker_causes',
  `coalesce(email_id::text, '')`,
  `to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  `coalesce(to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '')`,
];

interface PageRow {
  delimited: string | null;
  /** Keyed by the id of the record. */
  notes: Record<string, string> | null;
  last: string | null;
  lastPosition: string;
}

/**
 * A page is a range of the index by time, so it takes the same time however selective the filter is. As in the list, rows are
 * ordered as only that index allows, and the end applies after the limit, so that the plan is good without statistics. Notes are
 * free text, so they come as JSON.
 */
const READ_PAGE = new PreparedStatement<PageRow>(
  'read-export-page',
  `WITH page AS MATERIALIZED (
    SELECT
      id, email, cause, ${liveCauses('weaker_causes')} AS weaker_causes, email_id, created_at,
      CASE WHEN expires_at > now() THEN expires_at END AS expires_at,
      ${IS_LIVE} AS is_live, ${LIVE_CAUSES} AS causes
    FROM (
      SELECT *
      FROM suppressions
      WHERE account_id = $1 AND (created_at, id) > ($6, $2)
      ORDER BY created_at
      FETCH FIRST ${PAGE_SIZE} ROWS WITH TIES
    ) AS longest
    WHERE (created_at, id) < ($7, $3)
    ORDER BY created_at, id
    LIMIT ${PAGE_SIZE}
  ),
  exported AS (
    SELECT *
    FROM page
    WHERE is_live
      AND ${hasCauses('$4')}
      AND ${hasDomain('$5')}
    ORDER BY id
  )
  SELECT
    ${delimitRows(COLUMNS)},
    (
      SELECT json_object_agg(exported.id, latest.note)
      FROM exported
      CROSS JOIN LATERAL (
        SELECT note
        FROM suppression_changes
        WHERE account_id = $1 AND suppression_id = exported.id AND note IS NOT NULL
        ORDER BY revision DESC
        LIMIT 1
      ) AS latest
      WHERE $8
    ) AS notes,
    (SELECT max(id::text) FROM page) AS last,
    ${LAST_POSITION} AS "lastPosition"
  FROM exported`,
);

/** The domains of erased addresses are unknown, so a filter by domain does not apply to them. */
const COUNT_ERASED = new PreparedStatement<{ count: number }>(
  'count-erased-of-export',
  `SELECT count(*)::integer AS count
  FROM (
    SELECT record.*, ${LIVE_CAUSES} AS causes
    FROM kept_blocks AS block
    CROSS JOIN LATERAL (
      SELECT * FROM suppressions WHERE account_id = $1 AND email = block.pseudonym
    ) AS record
    WHERE block.account_id = $1 AND ${IS_LIVE}
  ) AS erased
  WHERE id > $2 AND id < $3 AND ${hasCauses('$4')}`,
);

interface Selection {
  filter: SuppressionFilter;
  /** Whether to read the notes. */
  withNotes: boolean;
  /** The position in the feed up to which the export has every change. */
  position: number;
}

@Injectable()
export class ExportPagesRepository {
  constructor(private readonly replica: ReadReplica) {}

  /**
   * Reads the list in the order of the ids. Every record that stays is read exactly once, whatever is added or removed
   * meanwhile.
   */
  async *read(accountId: number, selection: Selection): AsyncGenerator<ExportedSuppression[]> {
    const { lowest, end } = idRangeOf(selection.filter);
    let page = await this.readPage(accountId, selection, lowest, end);
    for (; page.last !== null; page = await this.readPage(accountId, selection, page.last, end)) {
      yield page.records;
    }
  }

  /** How many records that pass a filter, whatever its domain, have the pseudonym of an erased address. */
  async countErased(accountId: number, filter: SuppressionFilter): Promise<number> {
    const { lowest, end } = idRangeOf(filter);
    const [masks] = filterParameters(filter);
    const values = [accountId, lowest, end, masks];
    const [found] = await this.replica.read((dataSource) => COUNT_ERASED.run(dataSource, values));
    return found!.count;
  }

  private async readPage(
    accountId: number,
    { filter, withNotes, position }: Selection,
    after: string,
    end: string,
  ): Promise<{ records: ExportedSuppression[]; last: string | null }> {
    const parameters = filterParameters(filter);
    const values = [accountId, after, end, ...parameters, createdAtOf(after), createdAtOf(end), withNotes];
    const { delimited, notes, last } = await this.replica.read(
      async (dataSource) => (await READ_PAGE.run(dataSource, values))[0]!,
      ({ lastPosition }) => Number(lastPosition) >= position,
    );
    const records = undelimitRows([{ delimited }], COLUMNS, (row, first) => ({
      id: row[first]!,
      email: row[first + 1] as EmailAddress,
      cause: row[first + 2] as Cause,
      causes: [row[first + 2] as Cause, ...causesIn(Number(row[first + 3]))],
      emailId: row[first + 4] || null,
      createdAt: row[first + 5]!,
      expiresAt: row[first + 6] || null,
      note: notes?.[row[first]!] ?? null,
    }));
    return { records, last };
  }
}
