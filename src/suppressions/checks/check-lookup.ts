import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { delimitValues, undelimitRows } from '../../database/delimited-rows.js';
import { toIsoTimestamp } from '../../database/iso-timestamp.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { causesIn } from '../../ledger/cause.js';
import { toRuleSet } from '../../rules/matching-rules.js';
import { TopicNotFoundError } from '../../topics/errors.js';
import type { TopicRef } from '../../topics/topic-ref.js';
import type { Subscription } from '../../topics/topic.entity.js';
import type { Knowledge } from '../knowledge.js';
import { SUPPRESSION_COLUMNS, toFoundSuppression } from '../suppression-lookup.js';
import type { Purpose } from '../verdict.js';
import {
  CHECK,
  CHECK_FOR_TOPIC,
  CHECK_FOR_TRANSACTIONAL,
  EXPLAIN,
  PREFERENCE_COLUMNS,
  RECORD_COLUMNS,
  type CheckRow,
  type ForEveryPurpose,
} from './check-statements.js';

/** Reads everything that a check needs in one statement, so that the next check sees any change of a rule, topic or setting. */
@Injectable()
export class CheckLookup {
  constructor(private readonly dataSource: DataSource) {}

  /** For mail without a stated purpose. */
  async find(accountId: number, emails: EmailAddress[]): Promise<Knowledge> {
    const [row] = await CHECK.run(this.dataSource, [accountId, delimitValues(emails)]);
    return toKnowledge(row!, { type: 'any' });
  }

  async findForTransactional(accountId: number, emails: EmailAddress[]): Promise<Knowledge> {
    const [row] = await CHECK_FOR_TRANSACTIONAL.run(this.dataSource, [accountId, delimitValues(emails)]);
    return toKnowledge(row!, { type: 'transactional', complaintReach: row!.complaintReach });
  }

  /** @throws {TopicNotFoundError} */
  async findForTopic(accountId: number, emails: EmailAddress[], topic: TopicRef): Promise<Knowledge> {
    const [row] = await CHECK_FOR_TOPIC.run(this.dataSource, [
      accountId,
      delimitValues(emails),
      'id' in topic ? topic.id : null,
      'key' in topic ? topic.key : null,
    ]);
    const { topicId, defaultSubscription, preferences } = row!;
    if (!topicId) {
      throw new TopicNotFoundError();
    }
    return toKnowledge(row!, { type: 'topic', topicId, defaultSubscription }, preferences);
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
      const record = toFoundSuppression(values, first);
      const weakerCauses = causesIn(Number(values[first + SUPPRESSION_COLUMNS.length]));
      const heldUntil = values[first + SUPPRESSION_COLUMNS.length + 1]!;
      return {
        record,
        causes: [record.cause, ...weakerCauses],
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
