import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { PreparedStatement } from '../../database/prepared-statement.js';
import { ERASED_DOMAIN } from '../../email-address/email-address.js';
import { CAUSES, type Cause } from '../../ledger/cause.js';
import { lastRevision } from '../../ledger/ledger-sql.js';
import { IS_LIVE, LIVE_CAUSES } from '../../suppressions/suppression.entity.js';
import type { ProviderList } from '../provider-list.entity.js';
import { listProviderOf } from '../providers/providers.js';
import { isHeld, LAST_END } from '../push/push-conditions.js';
import { isRemovable, keptCauses } from '../push/push-decisions.js';
import {
  BATCH_ROWS,
  INSERT_LINES,
  LISTED,
  RESULT,
  SETTLING,
  type Compared,
  type Position,
} from './comparison-batch.js';
import { COMPARE_GONE, COMPARE_THERE } from './comparison-statements.js';

/**
 * The additions by this service, for the current record, whose entries are gone, or which failed. Parameter 9: the provider
 * list.
 */
const PUSHED = `
  SELECT
    bool_or(
      put_at > (SELECT created_at - ${SETTLING} FROM provider_list_plans WHERE account_id = $1 AND id = $2)
    ) AS was_just_put,
    bool_or(status = 'done' AND is_current) AS was_put,
    bool_or(status = 'failed' AND is_current) AS has_failed
  FROM provider_list_pushes AS push
  LEFT JOIN LATERAL (${LAST_END('push.email')}) AS ended ON true
  CROSS JOIN LATERAL (SELECT ended.at IS NULL OR ended.at < push.created_at AS is_current) AS age
  WHERE account_id = $1 AND provider_list_id = $9 AND email = batch.email AND action = 'add'
  HAVING count(*) > 0`;

/**
 * Compares the addresses that only the list here has. Parameters 6 and 7: the causes that the provider can keep, and its
 * lists for them; 8: the causes that have no effect there; 10: whether causes that expire are pushed.
 */
const COMPARE_HERE = new PreparedStatement<Compared>(
  'compare-provider-list-here',
  `WITH batch AS (
    SELECT email, '' AS list, '' AS address, ${LIVE_CAUSES} AS causes, cause, created_at, expires_at, id
    FROM suppressions
    WHERE account_id = $1 AND email > $3 AND $4 = '' AND $5 = '' AND ${IS_LIVE}
    ORDER BY email
    LIMIT ${BATCH_ROWS}
  ),
  missing AS (
    SELECT
      batch.email,
      created_at,
      expires_at,
      kept.cause AS carried,
      kept.list,
      batch.cause AS strongest,
      ${isHeld('batch')} AS is_held,
      causes & cause_bit('unsubscribe') <> 0 AS is_unsubscribed,
      pushed.*
    FROM batch
    LEFT JOIN LATERAL (${LISTED} AND (problem IS NULL OR problem = 'unknown_cause') LIMIT 1) AS listed ON true
    LEFT JOIN LATERAL (${PUSHED}) AS pushed ON true
    LEFT JOIN LATERAL (
      SELECT cause, list
      FROM unnest($6::suppression_cause[], $7::text[]) WITH ORDINALITY AS kept (cause, list, position)
      WHERE causes & cause_bit(kept.cause) <> 0
      ORDER BY position
      LIMIT 1
    ) AS kept ON true
    WHERE listed.email IS NULL
  ),
  judged AS (
    SELECT
      *,
      CASE
        WHEN was_just_put THEN NULL
        WHEN email LIKE '%@${ERASED_DOMAIN}' THEN 'erased'
        WHEN was_put THEN 'gone_there'
        WHEN carried IS NULL THEN CASE WHEN is_unsubscribed THEN 'unsubscribe' ELSE 'no_list' END
        WHEN carried = 'bounce' AND is_held THEN 'held'
        WHEN carried IN ('bounce', 'manual') AND expires_at IS NOT NULL AND NOT $10::boolean THEN 'expires'
        WHEN carried::text = ANY ($8::text[]) THEN 'without_effect'
        WHEN has_failed THEN 'push_failed'
      END AS reason
    FROM missing
  ),
  line AS (
    ${INSERT_LINES}
    SELECT
      $1,
      $2,
      CASE
        WHEN was_just_put THEN 'agreed'
        WHEN reason = 'gone_there' THEN 'drift'
        WHEN reason IS NULL THEN 'push'
        ELSE 'cannot'
      END,
      email,
      CASE WHEN reason IS NULL THEN coalesce(list, '') ELSE '' END,
      '',
      coalesce(carried, strongest),
      created_at,
      reason,
      false,
      ${lastRevision('judged.email')}
    FROM judged
    RETURNING kind, cause
  )
  ${RESULT}`,
);

/** Compares batches after a position, writes their lines, and returns the number of lines by kind. */
@Injectable()
export class ComparisonRepository {
  async compareThere(
    list: ProviderList,
    planId: string,
    after: Position,
    transaction: EntityManager,
  ): Promise<Compared> {
    const provider = listProviderOf(list.provider);
    const { additions, removals, find } = provider;
    const shown = additions.flatMap((line) =>
      line.list === null ? [] : [`${line.list} ${line.cause} ${line.becomes}`],
    );
    const removable = removals.flatMap(({ list: name }) =>
      CAUSES.filter((cause) => isRemovable(provider, name, cause)).map((cause) => `${name} ${cause}`),
    );
    const flags = [find !== undefined, list.pushUnsubscribes];
    const values = [list.accountId, planId, ...after, list.id, shown, removable, ...flags];
    return (await COMPARE_THERE.run(transaction, values))[0]!;
  }

  /** Finds nothing before a plan was applied. */
  async compareGone(
    { accountId, basePlanId }: ProviderList,
    planId: string,
    after: Position,
    transaction: EntityManager,
  ): Promise<Compared> {
    return (await COMPARE_GONE.run(transaction, [accountId, planId, ...after, basePlanId]))[0]!;
  }

  /** @param ineffective - the causes that have no effect at the provider */
  async compareHere(
    list: ProviderList,
    planId: string,
    after: Position,
    ineffective: readonly Cause[],
    transaction: EntityManager,
  ): Promise<Compared> {
    const kept = keptCauses(listProviderOf(list.provider), list);
    const lists = [kept.map(({ cause }) => cause), kept.map((line) => line.list)];
    const values = [list.accountId, planId, ...after, ...lists, ineffective, list.id, list.pushRemovals];
    return (await COMPARE_HERE.run(transaction, values))[0]!;
  }
}
