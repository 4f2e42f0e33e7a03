import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ComplaintReach } from '../../accounts/account.entity.js';
import { delimitRows, delimitValues, groupBy, undelimitRows, undelimitValues } from '../../database/rows.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { LONGEST_WRITE_MS } from '../../database/transaction.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { requireFound } from '../../http/errors/api-error.js';
import type { Cause } from '../../ledger/cause.js';
import type { Action } from '../../ledger/suppression-change.entity.js';
import { MATCHING_PATTERNS, RULE_COLUMNS, toRuleSet } from '../../rules/rule-set.js';
import { TopicNotFoundError } from '../../topics/errors.js';
import type { Subscription } from '../../topics/topic.entity.js';
import type { Purpose } from '../verdict.js';
import type { Knowledge } from './check-lookup.js';
import { topicParameters, type AsOf, type RequestedPurpose } from './check-request.js';
import { linesUpTo, recordAt, timeOfCursor, type PastLine, type RecordLine } from './past-lines.js';

const COLUMNS = [
  'id',
  'email',
  'action',
  `coalesce(suppression_id::text, '')`,
  `coalesce(cause::text, '')`,
  `coalesce(email_id::text, '')`,
  `(extract(epoch FROM created_at) * 1000)::bigint`,
  `coalesce(extract(epoch FROM expires_at) * 1000, 'Infinity')`,
];

const READ_LINES = new PreparedStatement<{ delimited: string | null; rules: string | null }>(
  'read-past-lines',
  `WITH line AS (
    SELECT line.*
    FROM unnest(${undelimitValues('$2')} COLLATE "C") AS requested_email (email)
    CROSS JOIN LATERAL (
      SELECT *
      FROM suppression_changes
      WHERE account_id = $1 AND email = requested_email.email AND created_at <= $3 AND (topic_id IS NULL OR topic_id = $4)
    ) AS line
    ORDER BY line.email, line.revision
  ),
  past_rules AS (
    SELECT DISTINCT ON (rule_id) rule_id AS id, pattern, effect, topic_id, expires_at, action
    FROM rule_changes
    WHERE account_id = $1
      AND created_at <= $5
      AND pattern = ANY (ARRAY (${MATCHING_PATTERNS}))
      AND (topic_id IS NULL OR topic_id = $4)
    ORDER BY rule_id, rule_changes.id DESC
  )
  SELECT
    (SELECT ${delimitRows(COLUMNS)} FROM line),
    (
      SELECT ${delimitRows(RULE_COLUMNS)}
      FROM past_rules
      WHERE action <> 'deleted' AND (expires_at IS NULL OR expires_at > $5)
    ) AS rules`,
);

/** Reads what a check would have read in the past, from the ledger and the history of rules and settings. */
@Injectable()
export class PastLookup {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Reads the knowledge at that time. For a cursor, rules, topics, and settings are as of its last change.
   *
   * @throws {TopicNotFoundError} when the topic did not exist at that time
   * @throws {CursorGoneError}
   * @throws {ValidationError} when the cursor belongs to another account
   */
  async find(
    accountId: number,
    emails: EmailAddress[],
    requested: RequestedPurpose,
    asOf: AsOf,
  ): Promise<Knowledge> {
    const at = 'at' in asOf ? asOf.at : await timeOfCursor(this.dataSource, accountId, asOf);
    const purpose = await purposeAt(this.dataSource, accountId, requested, at);
    const upTo = 'at' in asOf ? at : at + LONGEST_WRITE_MS;
    const topicId = purpose.type === 'topic' ? purpose.topicId : null;
    const [{ delimited, rules }] = (await READ_LINES.run(this.dataSource, [
      accountId,
      delimitValues(emails),
      new Date(upTo),
      topicId,
      new Date(at),
    ])) as [{ delimited: string | null; rules: string | null }];
    const all = undelimitRows([{ delimited }], COLUMNS, toLine);
    const lines = 'at' in asOf ? all : await linesUpTo(this.dataSource, accountId, { ...asOf, at }, all);
    const byEmail = groupBy(lines.filter(isRecordLine), ({ email }) => email);
    const topicLines = lines.filter((line) => !isRecordLine(line));
    return {
      purpose,
      records: [...byEmail.values()].flatMap((own) => recordAt(own, at) ?? []),
      preferences: new Map(
        topicLines.map(({ email, action }) => [email, action === 'opted_in' ? 'opt_in' : 'opt_out']),
      ),
      rules: toRuleSet(rules),
    };
  }
}

function isRecordLine({ suppressionId }: RecordLine): boolean {
  return suppressionId !== '';
}

function toLine(values: string[], first: number): PastLine {
  return {
    id: values[first]!,
    email: values[first + 1] as EmailAddress,
    action: values[first + 2] as Action,
    suppressionId: values[first + 3]!,
    cause: values[first + 4] as Cause,
    emailId: values[first + 5] || null,
    createdAt: Number(values[first + 6]),
    expiresAt: Number(values[first + 7]),
  };
}

const FIND_TOPIC = new PreparedStatement<{ topicId: string; defaultSubscription: Subscription }>(
  'find-past-topic',
  `SELECT id AS "topicId", default_subscription AS "defaultSubscription"
  FROM topics
  WHERE account_id = $1
    AND created_at <= $4
    AND (archived_at IS NULL OR archived_at > $4)
    AND (id = $2 OR key = $3)`,
);

const FIND_COMPLAINT_REACH = new PreparedStatement<{ complaintReach: ComplaintReach }>(
  'find-past-complaint-reach',
  `SELECT coalesce(
    (
      SELECT complaint_reach
      FROM past_account_settings
      WHERE account_id = $1 AND valid_until > $2
      ORDER BY valid_until
      LIMIT 1
    ),
    (SELECT complaint_reach FROM accounts WHERE id = $1)
  ) AS "complaintReach"`,
);

/**
 * The purpose, as a check in the past would have resolved it.
 *
 * @param at - in milliseconds since 1970
 * @throws {TopicNotFoundError} when the topic did not exist at that time
 */
async function purposeAt(
  dataSource: DataSource,
  accountId: number,
  requested: RequestedPurpose,
  at: number,
): Promise<Purpose> {
  if (requested.type === 'any') {
    return requested;
  }
  if (requested.type === 'transactional') {
    const [found] = await FIND_COMPLAINT_REACH.run(dataSource, [accountId, new Date(at)]);
    return { type: 'transactional', ...found! };
  }
  const values = [accountId, ...topicParameters(requested.topic), new Date(at)];
  const [topic] = await FIND_TOPIC.run(dataSource, values);
  return { type: 'topic', ...requireFound(topic, TopicNotFoundError) };
}
