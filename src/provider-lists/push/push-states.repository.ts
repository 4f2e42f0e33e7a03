import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { hideLength, RowSet } from '../../database/rows.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import { IS_LIVE, LIVE_CAUSES } from '../../suppressions/suppression.entity.js';
import { liftedBounce } from '../lifted-bounce.js';
import type { ProviderList } from '../provider-list.entity.js';
import { isHeld, LAST_END, REPORTED_SINCE } from './push-conditions.js';
import type { Push, PushState } from './push-decisions.js';

const READ = new PreparedStatement<PushState>(
  'read-push-states',
  `SELECT
    wanted.email,
    coalesce(record.causes, 0) AS causes,
    record.created_at AS since,
    record.expires_at AS "expiresAt",
    coalesce(record.is_held, false) AS "isHeld",
    (SELECT incident_guard = 'hold' FROM accounts WHERE id = $1) AS "mayBeHeld",
    bounce.lifted_at AS "bounceLiftedAt",
    coalesce(listed.entries, '[]') AS entries,
    coalesce(known.pushes, '[]') AS pushes
  FROM unnest(${hideLength('$4', 'text')} COLLATE "C") AS wanted (email)
  LEFT JOIN LATERAL (
    SELECT ${LIVE_CAUSES} AS causes, created_at, expires_at, ${isHeld('suppressions')} AS is_held
    FROM suppressions
    WHERE account_id = $1 AND email = wanted.email AND ${IS_LIVE}
    LIMIT 1
  ) AS record ON true
  LEFT JOIN LATERAL (${liftedBounce('wanted.email')}) AS bounce ON true
  LEFT JOIN LATERAL (${LAST_END('wanted.email')}) AS ended ON true
  LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object(
      'list', list,
      'address', address,
      'cause', cause,
      'latestAt', extract(epoch FROM latest_at) * 1000,
      'isCurrent', ended.at IS NULL OR ended.at < (SELECT created_at FROM provider_list_plans WHERE account_id = $1 AND id = $3)
    )) AS entries
    FROM provider_list_entries
    WHERE account_id = $1 AND plan_id = $3 AND email = wanted.email AND NOT is_gone AND cause IS NOT NULL
  ) AS listed ON true
  LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object(
      'list', list,
      'address', address,
      'action', action,
      'status', status,
      'isOwn', coalesce(put_at, attempted_at) IS NOT NULL AND NOT ${REPORTED_SINCE},
      'isCurrent', ended.at IS NULL OR ended.at < created_at,
      'cause', cause
    )) AS pushes
    FROM provider_list_pushes AS push
    WHERE account_id = $1 AND provider_list_id = $2 AND email = wanted.email
  ) AS known ON true`,
);

/** An incident holds its bounces within this time after they are reported. */
export const INCIDENT_SECONDS = 120;

/**
 * SQL: when a push is first due.
 *
 * @param waits - the SQL condition of the pushes that wait until an incident would have held the bounce
 */
export function firstAttemptAt(waits: string): string {
  return `clock_timestamp() + CASE WHEN ${waits} THEN interval '${INCIDENT_SECONDS} seconds' ELSE interval '0' END`;
}

const PUSHES = new RowSet(4, {
  email: 'text',
  list: 'text',
  address: 'text',
  action: 'text',
  cause: 'suppression_cause',
  since: 'timestamptz',
  consent: 'jsonb',
  waits: 'boolean',
});

/**
 * SQL: a later change of an entry replaces the earlier one, which may have been sent. A confirmed removal is replaced only
 * after it is done, by another confirmation, or because the address is suppressed here again; by a plan, only after it is done
 * or has failed.
 */
export const REPLACE_PUSH = `
  ON CONFLICT (account_id, provider_list_id, email, list, address) DO UPDATE
  SET
    action = excluded.action,
    status = 'pending',
    cause = excluded.cause,
    since = excluded.since,
    consent = excluded.consent,
    plan_id = excluded.plan_id,
    attempts = 0,
    attempted_at = NULL,
    error = NULL,
    created_at = clock_timestamp(),
    next_attempt_at = excluded.next_attempt_at,
    put_at = CASE
      WHEN provider_list_pushes.action = 'add'
        THEN coalesce(provider_list_pushes.put_at, provider_list_pushes.attempted_at)
      WHEN provider_list_pushes.status <> 'done' THEN provider_list_pushes.put_at
    END
  WHERE provider_list_pushes.consent IS NULL
    OR provider_list_pushes.status = 'done'
    OR excluded.consent IS NOT NULL
    OR excluded.action = 'add' AND (excluded.plan_id IS NULL OR provider_list_pushes.status = 'failed')`;

const INSERT = new PreparedStatement<never>(
  'insert-provider-list-pushes',
  `INSERT INTO provider_list_pushes (
    account_id, provider_list_id, plan_id, email, list, address, action, cause, since, consent, next_attempt_at
  )
  SELECT
    $1, $2, $3::uuid, email, list, address, action, cause, since, consent,
    ${firstAttemptAt('waits')}
  FROM ${PUSHES.as('push')}
  ORDER BY email, list, address
  ${REPLACE_PUSH}`,
);

@Injectable()
export class PushStatesRepository {
  read(
    { accountId, id, basePlanId }: Pick<ProviderList, 'accountId' | 'id' | 'basePlanId'>,
    emails: EmailAddress[],
    transaction: EntityManager,
  ): Promise<PushState[]> {
    return READ.run(transaction, [accountId, id, basePlanId, emails]);
  }

  async insert(
    { accountId, id }: Pick<ProviderList, 'accountId' | 'id'>,
    pushes: Push[],
    transaction: EntityManager,
  ): Promise<void> {
    if (pushes.length > 0) {
      const rows = pushes.map((push) => ({ ...push, consent: push.consent && JSON.stringify(push.consent) }));
      await INSERT.run(transaction, [accountId, id, null, ...PUSHES.values(rows)]);
    }
  }
}
