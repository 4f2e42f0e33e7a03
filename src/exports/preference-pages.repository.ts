import { Injectable } from '@nestjs/common';
import { delimitRows, undelimitRows } from '../database/delimited-rows.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { ReadReplica } from '../database/read-replica.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { LAST_POSITION } from '../ledger/feed-position.js';
import type { Subscription } from '../topics/topic.entity.js';
import { LOWEST_ID } from '../validation/id.js';

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

@Injectable()
export class PreferencePagesRepository {
  constructor(private readonly replica: ReadReplica) {}

  /** @param position - every change of the feed up to it is in the export */
  async *read(accountId: number, topicId: string, position: number): AsyncGenerator<ExportedPreference[]> {
    let after = ['', LOWEST_ID];
    for (;;) {
      const values = [accountId, topicId, ...after];
      const { delimited, lastEmail, lastTopic } = await this.replica.read(
        async (dataSource) => (await READ_PAGE.run(dataSource, values))[0]!,
        ({ lastPosition }) => Number(lastPosition) >= position,
      );
      if (lastEmail === null) {
        return;
      }
      after = [lastEmail, lastTopic];
      yield undelimitRows([{ delimited }], COLUMNS, (row, first) => ({
        email: row[first] as EmailAddress,
        subscription: row[first + 1] as Subscription,
        createdAt: row[first + 2]!,
      }));
    }
  }
}
