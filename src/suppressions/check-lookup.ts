import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import {
  delimitRows,
  delimitValues,
  hideLength,
  undelimitRows,
  undelimitValues,
} from '../database/delimited-rows.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { ComplaintReach } from '../accounts/account.entity.js';
import type { EmailAddress } from '../email-address/email-address.js';
import { causesIn, type Cause } from '../ledger/cause.js';
import { matchingRules, toRuleBook } from '../rules/matching-rules.js';
import type { RuleBook } from '../rules/rule-book.js';
import { TopicNotFoundError } from '../topics/errors.js';
import type { TopicRef } from '../topics/topic-ref.js';
import type { Subscription } from '../topics/topic.entity.js';
import { SUPPRESSION_COLUMNS, toFoundSuppression, type FoundSuppression } from './suppression-lookup.js';
import { IS_LIVE, liveCauses } from './suppression.entity.js';
import type { Purpose } from './verdict.js';

/** A record with all causes that apply. */
export interface RecordWithCauses {
  record: FoundSuppression;
  causes: readonly Cause[];
}

/** What an account knows about some addresses. */
export interface Knowledge {
  purpose: Purpose;
  records: RecordWithCauses[];
  preferences: Map<EmailAddress, Subscription>;
  rules: RuleBook;
}

interface ForEveryPurpose {
  complaintReach: ComplaintReach;
}

const EMAILS = hideLength(undelimitValues('$2'), 'text');
const RECORD_COLUMNS = [...SUPPRESSION_COLUMNS, liveCauses('weaker_causes')];
const PREFERENCE_COLUMNS = ['email', 'subscription'];

const RECORDS = `SELECT ${delimitRows(RECORD_COLUMNS)} FROM suppressions WHERE account_id = $1 AND email = ANY (${EMAILS}) AND ${IS_LIVE}`;

interface Answer {
  records: string | null;
  rules: string | null;
}

type TransactionalAnswer = Answer & ForEveryPurpose;

interface TopicAnswer extends Answer {
  preferences: string | null;
  topicId: string | null;
  defaultSubscription: Subscription;
}

const CHECK = new PreparedStatement<Answer>(
  'check',
  `SELECT (${RECORDS}) AS records, (${matchingRules()}) AS rules`,
);

const CHECK_FOR_TRANSACTIONAL = new PreparedStatement<TransactionalAnswer>(
  'check-for-transactional',
  `SELECT
    (${RECORDS}) AS records,
    (${matchingRules()}) AS rules,
    (SELECT complaint_reach FROM accounts WHERE id = $1) AS "complaintReach"`,
);

const CHECK_FOR_TOPIC = new PreparedStatement<TopicAnswer>(
  'check-for-topic',
  `WITH topic AS MATERIALIZED (
    SELECT id, default_subscription
    FROM topics
    WHERE account_id = $1
      AND archived_at IS NULL
      AND id = coalesce($3, (SELECT id FROM topics WHERE account_id = $1 AND archived_at IS NULL AND key = $4))
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

/** With the rules of all topics. */
const EXPLAIN = new PreparedStatement<TransactionalAnswer>(
  'explain-verdicts',
  `SELECT
    (${RECORDS}) AS records,
    (${matchingRules('topic_id')}) AS rules,
    (SELECT complaint_reach FROM accounts WHERE id = $1) AS "complaintReach"`,
);

/** Reads everything that a check needs, in one statement: a rule, a topic or a setting that changed is seen by the next check. */
@Injectable()
export class CheckLookup {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** What is known for mail without a stated purpose. */
  async find(accountId: number, emails: EmailAddress[]): Promise<Knowledge> {
    const [answer] = await CHECK.run(this.dataSource, [accountId, delimitValues(emails)]);
    return toKnowledge(answer!, { type: 'any' });
  }

  /** What is known for transactional mail. */
  async findForTransactional(accountId: number, emails: EmailAddress[]): Promise<Knowledge> {
    const [answer] = await CHECK_FOR_TRANSACTIONAL.run(this.dataSource, [accountId, delimitValues(emails)]);
    return toKnowledge(answer!, { type: 'transactional', complaintReach: answer!.complaintReach });
  }

  /**
   * What is known for the mail of a topic.
   *
   * @throws {TopicNotFoundError}
   */
  async findForTopic(accountId: number, emails: EmailAddress[], topic: TopicRef): Promise<Knowledge> {
    const [answer] = await CHECK_FOR_TOPIC.run(this.dataSource, [
      accountId,
      delimitValues(emails),
      'id' in topic ? topic.id : null,
      'key' in topic ? topic.key : null,
    ]);
    const { topicId, defaultSubscription, preferences } = answer!;
    if (!topicId) {
      throw new TopicNotFoundError();
    }
    return toKnowledge(answer!, { type: 'topic', topicId, defaultSubscription }, preferences);
  }

  /** What is known about an address for every purpose, with the rules of all topics. */
  async findForEveryPurpose(accountId: number, email: EmailAddress): Promise<Knowledge & ForEveryPurpose> {
    const [answer] = await EXPLAIN.run(this.dataSource, [accountId, delimitValues([email])]);
    const { complaintReach } = answer!;
    return { ...toKnowledge(answer!, { type: 'any' }), complaintReach };
  }
}

function toKnowledge(
  { records, rules }: Answer,
  purpose: Purpose,
  preferences: string | null = null,
): Knowledge {
  return {
    purpose,
    records: undelimitRows([{ delimited: records }], RECORD_COLUMNS, (values, first) => {
      const record = toFoundSuppression(values, first);
      const weakerCauses = causesIn(Number(values[first + SUPPRESSION_COLUMNS.length]));
      return { record, causes: [record.cause, ...weakerCauses] };
    }),
    preferences: new Map(
      undelimitRows([{ delimited: preferences }], PREFERENCE_COLUMNS, (values, first) => [
        values[first] as EmailAddress,
        values[first + 1] as Subscription,
      ]),
    ),
    rules: toRuleBook(rules),
  };
}
