import type { DataSource } from 'typeorm';
import type { ComplaintReach } from '../../accounts/account.entity.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { TopicNotFoundError } from '../../topics/errors.js';
import type { Subscription } from '../../topics/topic.entity.js';
import type { RequestedPurpose } from '../requested-purpose.js';
import type { Purpose } from '../verdict.js';

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
 * The purpose as a check at a time in the past would have read it.
 *
 * @param at - in milliseconds since 1970
 * @throws {TopicNotFoundError} when the topic did not exist then
 */
export async function purposeAt(
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
  const { topic: ref } = requested;
  const [topic] = await FIND_TOPIC.run(dataSource, [
    accountId,
    'id' in ref ? ref.id : null,
    'key' in ref ? ref.key : null,
    new Date(at),
  ]);
  if (!topic) {
    throw new TopicNotFoundError();
  }
  return { type: 'topic', ...topic };
}
