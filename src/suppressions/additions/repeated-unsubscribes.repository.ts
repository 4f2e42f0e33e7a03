import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Identity } from '../../audit/request-context.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { afterCommit, type WriteContext } from '../../database/transaction.js';
import { changeParameters, insertChanges, lastAddition } from '../../ledger/ledger-sql.js';
import { Metrics } from '../../metrics/metrics.js';
import { createdAtOf } from '../suppression-id.js';
import { RECORD_CAUSES } from '../suppression.entity.js';
import type { Addition } from './additions.repository.js';

interface Repetition {
  /** False if the record no longer has the cause. */
  isPresent: boolean;
  isRecorded: boolean;
}

/** Writes a line, which changes nothing else, if a source was the last to add the unsubscribe of a record. */
const REPEAT_UNSUBSCRIBE = new PreparedStatement<Repetition>(
  'repeat-unsubscribe',
  `WITH locked AS (
    SELECT id, email
    FROM suppressions
    WHERE account_id = $1 AND created_at = $7 AND id = $6 AND (${RECORD_CAUSES}) & cause_bit('unsubscribe') <> 0
    FOR UPDATE
  ),
  change AS (
    SELECT
      'cause_added'::suppression_action AS action,
      locked.id AS suppression_id,
      locked.email,
      'unsubscribe'::suppression_cause AS cause,
      reported.email_id,
      NULL::timestamptz AS occurred_at,
      NULL::uuid AS event_id,
      $8::text AS note
    FROM locked
    CROSS JOIN LATERAL (${lastAddition('added.actor_type, added.email_id', `'unsubscribe'`)}) AS reported
    WHERE reported.actor_type = 'source'
  ),
  ${insertChanges()}
  SELECT EXISTS (SELECT FROM locked) AS "isPresent", EXISTS (SELECT FROM logged) AS "isRecorded"`,
);

@Injectable()
export class RepeatedUnsubscribesRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly metrics: Metrics,
  ) {}

  /** Records that somebody else than a source repeated the unsubscribe of a record, unless that is known. */
  async record(
    { accountId, actor }: Identity,
    { id, note }: Pick<Addition, 'note'> & { id: string },
    context: WriteContext,
  ): Promise<Repetition> {
    const [found] = await REPEAT_UNSUBSCRIBE.write(this.dataSource, context, [
      ...changeParameters(accountId, actor),
      id,
      createdAtOf(id),
      note,
    ]);
    if (found!.isRecorded) {
      const change = { action: 'cause_added', cause: 'unsubscribe' } as const;
      afterCommit(context, () => this.metrics.countChanges(actor.type, [change]));
    }
    return found!;
  }
}
