import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ComplaintReach } from '../../accounts/account.entity.js';
import {
  delimitRows,
  delimitValues,
  hideLength,
  undelimitRows,
  undelimitValues,
} from '../../database/rows.js';
import { toIsoTimestamp } from '../../database/iso-timestamp.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { requireFound } from '../../http/errors/api-error.js';
import { causesIn, type Cause } from '../../ledger/cause.js';
import { matchingRules, toRuleSet, type RuleSet } from '../../rules/rule-set.js';
import { TopicNotFoundError } from '../../topics/errors.js';
import type { Subscription } from '../../topics/topic.entity.js';
import { SUPPRESSION_COLUMNS, toFoundSuppression, type FoundSuppression } from '../suppression-lookup.js';
import { IS_LIVE, liveCauses } from '../suppression.entity.js';
import type { Purpose } from '../verdict.js';
import { topicParameters, type RequestedPurpose } from './check-request.js';

export interface RecordWithCauses extends FoundSuppression {
  causes: readonly Cause[];
  /** When the hold of its bounce ends, in ISO 8601. Absent for a past record. */
  heldUntil?: string | null;
}

export interface Knowledge {
  purpose: Purpose;
  records: RecordWithCauses[];
  preferences: Map<EmailAddress, Subscription>;
  rules: RuleSet;
}

/**
 * Reads everything that a check needs in one statement, without caches, so that the next check sees any change of a rule, a
 * topic, or a setting.
 */
@Injectable()
export class CheckLookup {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws {TopicNotFoundError} */
  async find(accountId: number, emails: EmailAddress[], requested: RequestedPurpose): Promise<Knowledge> {
    const values = [accountId, delimitValues(emails)];
    switch (requested.type) {
      case 'any': {
        const [row] = await CHECK.run(this.dataSource, values);
        return toKnowledge(row!, requested);
      }
      case 'transactional': {
        const [row] = await CHECK_FOR_TRANSACTIONAL.run(this.dataSource, values);
        return toKnowledge(row!, { type: 'transactional', complaintReach: row!.complaintReach });
      }
      case 'topic': {
        const [row] = await CHECK_FOR_TOPIC.run(this.dataSource, [
          ...values,
          ...topicParameters(requested.topic),
        ]);
        const { defaultSubscription, preferences } = row!;
        const topicId = requireFound(row!.topicId, TopicNotFoundError);
        return toKnowledge(row!, { type: 'topic', topicId, defaultSubscription }, preferences);
      }
    }
  }

  /** Reads the knowledge for every purpose, with the rules of all topics. */
  async findForEveryPurpose(accountId: number, emails: EmailAddress[]): Promise<Knowledge & ForEveryPurpose> {
    const [row] = await EXPLAIN.run(this.dataSource, [accountId, delimitValues(emails)]);
    const { complaintReach } = row!;
    return { ...toKnowledge(row!, { type: 'any' }), complaintReach };
  }
}

function toKnowledge(
  { records, rules }: CheckRow,
  purpose: Purpose,
  preferences: string | null = null,
): Knowledge {
  return {
    purpose,
    records: undelimitRows([{ delimited: records }], RECORD_COLUMNS, (values, first) => {
      const { id, email, cause, emailId } = toFoundSuppression(values, first);
      const weakerCauses = causesIn(Number(values[first + SUPPRESSION_COLUMNS.length]));
      const heldUntil = values[first + SUPPRESSION_COLUMNS.length + 1]!;
      return {
        id,
        email,
        cause,
        emailId,
        causes: [cause, ...weakerCauses],
        heldUntil: heldUntil === '' ? null : toIsoTimestamp(heldUntil),
      };
    }),
    preferences: new Map(
      undelimitRows([{ delimited: preferences }], PREFERENCE_COLUMNS, (values, first) => [
        values[first] as EmailAddress,
        values[first + 1] as Subscription,
      ]),
    ),
    rules: toRuleSet(rules),
  };
}

interface ForEveryPurpose {
  complaintReach: ComplaintReach;
}

const EMAILS = hideLength(undelimitValues('$2'), 'text');
/** SQL for when the hold of a record ends, for `toIsoTimestamp`; empty if it is not held. Few records expire at all. */
const HELD_UNTIL = `CASE WHEN expires_at IS NULL THEN '' ELSE coalesce((
  SELECT (held_until AT TIME ZONE 'UTC')::text
  FROM held_bounces AS held
  WHERE held.account_id = $1 AND held.suppression_id = suppressions.id AND held.held_until = suppressions.expires_at
), '') END`;
const RECORD_COLUMNS = [...SUPPRESSION_COLUMNS, liveCauses('weaker_causes'), HELD_UNTIL];
const PREFERENCE_COLUMNS = ['email', 'subscription'];
const RECORDS = `SELECT ${delimitRows(RECORD_COLUMNS)} FROM suppressions WHERE account_id = $1 AND email = ANY (${EMAILS}) AND ${IS_LIVE}`;

interface CheckRow {
  records: string | null;
  rules: string | null;
}

interface TopicCheckRow extends CheckRow {
  preferences: string | null;
  topicId: string | null;
  defaultSubscription: Subscription;
}

const CHECK = new PreparedStatement<CheckRow>(
  'check',
  `SELECT (${RECORDS}) AS records, (${matchingRules()}) AS rules`,
);

const withComplaintReach = (name: string, rules: string) =>
  new PreparedStatement<CheckRow & ForEveryPurpose>(
    name,
    `SELECT
      (${RECORDS}) AS records,
      (${rules}) AS rules,
      (SELECT complaint_reach FROM accounts WHERE id = $1) AS "complaintReach"`,
  );

const CHECK_FOR_TRANSACTIONAL = withComplaintReach('check-for-transactional', matchingRules());

const EXPLAIN = withComplaintReach('explain-verdicts', matchingRules('topic_id'));

const CHECK_FOR_TOPIC = new PreparedStatement<TopicCheckRow>(
  'check-for-topic',
  `WITH topic AS MATERIALIZED (
    SELECT id, default_subscription
    FROM topics
    WHERE account_id = $1
      AND archived_at IS NULL
      AND id = coalesce($3, (SELECT id FROM topics WHERE account_id = $1 AND key = $4))
  )
  SELECT
    (${RECORDS}) AS records,
    (
      SELECT ${delimitRows(PREFERENCE_COLUMNS)}
      FROM topic_preferences
      WHERE account_id = $1 AND email = ANY (${EMAILS}) AND topic_id = (SELECT id FROM topic)
    ) AS preferences,
    (${matchingRules('(SELECT id FROM topic)')}) AS rules,
    (SELECT id FROM topic) AS "topicId",
    (SELECT default_subscription FROM topic) AS "defaultSubscription"`,
);
