import { Injectable } from '@nestjs/common';
import { delimitRows, undelimitRows } from '../database/rows.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { ReadReplica } from '../database/read-replica.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { LAST_POSITION } from '../ledger/feed-position.js';
import { isPseudonym } from '../pseudonyms/pseudonym.js';
import type { Subscription } from '../topics/topic.entity.js';
import { LOWEST_ID } from '../validation/parsers.js';

const PAGE_SIZE = 5_000;

export interface ExportedPreference {
  email: EmailAddress;
  subscription: Subscription;
  /** RFC 3339, in UTC. */
  createdAt: string;
}

const COLUMNS = [
  'email',
  'subscription',
  `to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
];

/** A page is a range of the primary key, however few of its preferences are for the topic. */
const READ_PAGE = new PreparedStatement<{
  delimited: string | null;
  lastEmail: string | null;
  lastTopic: string;
  lastPosition: string;
}>(
  'read-preferences-page',
  `WITH page AS MATERIALIZED (
    SELECT email, topic_id, subscription, updated_at
    FROM topic_preferences
    WHERE account_id = $1 AND (email, topic_id) > ($3, $4)
    ORDER BY email, topic_id
    LIMIT ${PAGE_SIZE}
  ),
  last AS (SELECT email, topic_id FROM page ORDER BY email DESC, topic_id DESC LIMIT 1)
  SELECT
    ${delimitRows(COLUMNS)},
    (SELECT email FROM last) AS "lastEmail",
    (SELECT topic_id FROM last) AS "lastTopic",
    ${LAST_POSITION} AS "lastPosition"
  FROM page
  WHERE topic_id = $2`,
);

/** Includes the minute before, because transactions that rename an address may commit in another order, some seconds later. */
const READ_RENAMED = new PreparedStatement<{ delimited: string | null; lastPosition: string }>(
  'read-renamed-preferences',
  `SELECT ${delimitRows(COLUMNS)}, ${LAST_POSITION} AS "lastPosition"
  FROM kept_blocks AS block
  JOIN topic_preferences AS preference ON preference.account_id = $1 AND preference.email = block.pseudonym
  WHERE block.account_id = $1 AND preference.topic_id = $2
    AND block.renamed_at >= $3::timestamptz - interval '1 minute'`,
);

const FIND_LAST_RENAMED = new PreparedStatement<{ renamedAt: string }>(
  'find-last-renamed-block',
  `SELECT coalesce(max(renamed_at), '-infinity')::text AS "renamedAt" FROM kept_blocks WHERE account_id = $1`,
);

@Injectable()
export class PreferencePagesRepository {
  constructor(private readonly replica: ReadReplica) {}

  /**
   * Reads the choices for a topic in the order of the addresses. An erasure that keeps the block may rename an address that has
   * not been read yet to a pseudonym that sorts earlier. So preferences that were renamed meanwhile are read again at the end.
   *
   * @param position - every change of the feed up to it is in the export
   */
  async *read(accountId: number, topicId: string, position: number): AsyncGenerator<ExportedPreference[]> {
    const [last] = await this.replica.read((dataSource) => FIND_LAST_RENAMED.run(dataSource, [accountId]));
    const pseudonyms = new Set<EmailAddress>();
    let newest = position;
    let after = ['', LOWEST_ID];
    for (;;) {
      const values = [accountId, topicId, ...after];
      const { delimited, lastEmail, lastTopic, lastPosition } = await this.replica.read(
        async (dataSource) => (await READ_PAGE.run(dataSource, values))[0]!,
        (page) => Number(page.lastPosition) >= position,
      );
      if (lastEmail === null) {
        break;
      }
      newest = Math.max(newest, Number(lastPosition));
      after = [lastEmail, lastTopic];
      const page = toPreferences(delimited);
      page.filter(({ email }) => isPseudonym(email)).forEach(({ email }) => pseudonyms.add(email));
      yield page;
    }
    const { delimited } = await this.replica.read(
      async (dataSource) => (await READ_RENAMED.run(dataSource, [accountId, topicId, last!.renamedAt]))[0]!,
      ({ lastPosition }) => Number(lastPosition) >= newest,
    );
    yield toPreferences(delimited).filter(({ email }) => !pseudonyms.has(email));
  }
}

function toPreferences(delimited: string | null): ExportedPreference[] {
  return undelimitRows([{ delimited }], COLUMNS, (row, first) => ({
    email: row[first] as EmailAddress,
    subscription: row[first + 1] as Subscription,
    createdAt: row[first + 2]!,
  }));
}
