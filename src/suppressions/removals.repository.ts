import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Identity } from '../audit/request-context.js';
import { afterCommit, type WriteContext } from '../database/transaction.js';
import { PreparedStatement } from '../database/prepared-statement.js';
import { hideLength } from '../database/rows.js';
import { causesIn, LASTING_CAUSES, maskOf, type Cause } from '../ledger/cause.js';
import { changeParameters, insertChanges, lastAddition } from '../ledger/ledger-sql.js';
import { Metrics } from '../metrics/metrics.js';
import { RemovalNotAllowedError } from './errors.js';
import { createdAtOf } from './suppression-id.js';
import type { SuppressionRefs } from './suppression-ref.js';
import { LIVE_CAUSES, RECORD_CAUSES, type NamedSuppression } from './suppression.entity.js';

/** The causes to lift, and the reason. */
export interface Lift {
  /** Null for all causes. */
  cause: Cause | null;
  note: string | null;
  /** The causes that are lifted even if the account guards removals. */
  liftable: readonly Cause[];
}

export interface LiftedSuppression extends NamedSuppression {
  action: 'removed' | 'cause_removed';
  cause: Cause;
}

/** Either the lifted suppressions, or one row with the causes that a guarded account does not let the caller lift. */
type RemovalRow = LiftedSuppression & { refused: number };

/** SQL for one row: the mask of causes of locked records that the account guards and the caller may not lift. */
const REFUSED = `
  SELECT coalesce(bit_or(lifted) & ~$7::integer, 0) AS causes
  FROM locked
  WHERE (SELECT removal FROM accounts WHERE id = $1) = 'guarded'`;

const IS_ALLOWED = '(SELECT causes FROM refused) = 0';

const RESULT = `
  SELECT suppression_id AS id, email, cause, action, 0 AS refused FROM change
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, causes FROM refused WHERE causes <> 0`;

/** SQL for the email id of the last ledger line that added the strongest remaining cause of a locked record. */
const LAST_EMAIL_ID = lastAddition('added.email_id', 'strongest_cause(causes_left)');

const REMOVE_BY_EMAILS = createRemoval('by-emails', `email = ANY (${hideLength('$9', 'text')})`);

const REMOVE_BY_IDS = createRemoval('by-ids', 'created_at = ANY ($10) AND id = ANY ($9)');

/**
 * Lifts the cause `$8`, or all causes that have not expired if it is null. A record that keeps other causes shows the email id
 * of the strongest of them, which is in the ledger. If one of a bounce and a manual entry is lifted, the other one keeps their
 * common expiry, because the ledger does not have the earlier expiry. An expired cause stays until the sweep ends it with a
 * line of its own, unless the record is removed.
 */
function createRemoval(name: string, condition: string): PreparedStatement<RemovalRow> {
  return new PreparedStatement(
    `remove-suppressions-${name}`,
    `WITH locked AS (
      SELECT *, live_causes & ~lifted <> 0 AS stays, causes & ~lifted AS causes_left
      FROM (
        SELECT
          id, email, cause, email_id, expires_at,
          ${RECORD_CAUSES} AS causes,
          ${LIVE_CAUSES} AS live_causes,
          coalesce(cause_bit($8), ${LIVE_CAUSES}) AS lifted
        FROM suppressions
        WHERE account_id = $1 AND ${condition} AND ${LIVE_CAUSES} & coalesce(cause_bit($8), ${LIVE_CAUSES}) <> 0
        ORDER BY email
        FOR UPDATE
      ) AS record
    ),
    refused AS (${REFUSED}),
    removed AS (
      DELETE FROM suppressions AS record
      USING locked
      WHERE record.account_id = $1 AND record.email = locked.email AND NOT stays AND ${IS_ALLOWED}
    ),
    kept AS (
      UPDATE suppressions AS record
      SET cause = strongest_cause(causes_left),
          weaker_causes = causes_left & ~cause_bit(strongest_cause(causes_left)),
          import_id = NULL,
          email_id = CASE
            WHEN strongest_cause(causes_left) = locked.cause THEN locked.email_id
            WHEN strongest_cause(causes_left) <> 'manual' THEN (${LAST_EMAIL_ID})
          END,
          expires_at = CASE WHEN causes_left & ~${LASTING_CAUSES} <> 0 THEN locked.expires_at END
      FROM locked
      WHERE record.account_id = $1 AND record.email = locked.email AND stays AND ${IS_ALLOWED}
    ),
    change AS (
      SELECT
        (CASE WHEN stays THEN 'cause_removed' ELSE 'removed' END)::suppression_action AS action,
        id AS suppression_id,
        email,
        coalesce($8::suppression_cause, cause) AS cause,
        CASE WHEN cause = coalesce($8, cause) THEN email_id END AS email_id,
        NULL::timestamptz AS occurred_at,
        NULL::uuid AS event_id,
        $6::text AS note,
        CASE WHEN stays AND lifted & ~${LASTING_CAUSES} <> 0 AND causes_left & ~${LASTING_CAUSES} <> 0 THEN expires_at END
          AS expires_at
      FROM locked
      WHERE ${IS_ALLOWED}
    ),
    ${insertChanges({ expiresAt: 'expires_at' })}
    ${RESULT}`,
  );
}

@Injectable()
export class RemovalsRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Removes records, or one cause of each, with ledger lines. A record without another cause is removed. Locks
   * are taken in the order of the addresses.
   *
   * @throws {RemovalNotAllowedError} if another cause would be lifted; then nothing is lifted
   */
  async lift(
    { accountId, actor }: Identity,
    refs: SuppressionRefs,
    { cause, note, liftable }: Lift,
    context: WriteContext,
  ): Promise<LiftedSuppression[]> {
    const statement = 'ids' in refs ? REMOVE_BY_IDS : REMOVE_BY_EMAILS;
    const rows = await statement.write(this.dataSource, context, [
      ...changeParameters(accountId, actor),
      note,
      maskOf(liftable),
      cause,
      ...refParameters(refs),
    ]);
    if (rows[0]?.refused) {
      throw new RemovalNotAllowedError(causesIn(rows[0].refused));
    }
    afterCommit(context, () => this.metrics.countChanges(actor.type, rows));
    return rows;
  }
}

/** The parameters for references. Records are found by id with the time in the id. */
function refParameters(refs: SuppressionRefs): unknown[] {
  return 'ids' in refs ? [refs.ids, refs.ids.map(createdAtOf)] : [refs.emails];
}
