import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../database/prepared-statement.js';
import type { EmailAddress } from '../email-address/email-address.js';
import type { SoftLimit, Source } from './source.entity.js';

const DAY_MS = 86_400_000;

/** A mail that is deferred ten times failed once. What a person removed from the list begins anew. */
const FIND_TOO_MANY = new PreparedStatement<{ recipient: EmailAddress }>(
  'find-too-many-soft-failures',
  `SELECT failure.recipient
  FROM delivery_events AS failure
  WHERE failure.account_id = $1
    AND failure.recipient = ANY ($3)
    AND failure.received_from = $2
    AND failure.effect = 'watch'
    AND failure.kind = 'bounce'
    AND coalesce(failure.occurred_at, failure.received_at) > $4
    AND NOT EXISTS (
      SELECT FROM delivery_events AS arrival
      WHERE arrival.account_id = $1
        AND arrival.recipient = failure.recipient
        AND arrival.effect = 'success'
        AND coalesce(arrival.occurred_at, arrival.received_at)
          >= coalesce(failure.occurred_at, failure.received_at)
    )
    AND NOT EXISTS (
      SELECT FROM suppression_changes AS removal
      WHERE removal.account_id = $1
        AND removal.email = failure.recipient
        AND removal.action = 'removed'
        AND removal.created_at >= failure.received_at
    )
  GROUP BY failure.recipient
  HAVING count(DISTINCT coalesce(failure.raw_message_id, failure.key)) >= $5`,
);

/** Counts the failures that may pass. */
@Injectable()
export class SoftFailuresRepository {
  /**
   * Those addresses to which too many mails of this source failed, with none delivered by any source since. Asked for
   * an address that another transaction is counting, too, it may miss a failure: lock it first.
   */
  async findTooMany(
    { accountId, id }: Source,
    { failures, days }: SoftLimit,
    recipients: EmailAddress[],
    now: Date,
    transaction: EntityManager,
  ): Promise<Set<EmailAddress>> {
    const begin = new Date(now.getTime() - days * DAY_MS);
    const found = await FIND_TOO_MANY.run(transaction, [accountId, id, recipients, begin, failures]);
    return new Set(found.map(({ recipient }) => recipient));
  }
}
