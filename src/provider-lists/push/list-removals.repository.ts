import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { hideLength } from '../../database/rows.js';
import { PreparedStatement } from '../../database/prepared-statement.js';
import type { EmailAddress } from '../../email-address/email-address.js';
import type { Cause } from '../../ledger/cause.js';
import { IS_LIVE, LIVE_CAUSES } from '../../suppressions/suppression.entity.js';
import type { ProviderList } from '../provider-list.entity.js';

/** The known facts about an address whose removal a person confirms. */
export interface Known {
  email: EmailAddress;
  /** The id of the address's last record here; null if there was none. */
  record: string | null;
  /** The causes of the address here, as a mask; 0 if it is not suppressed. */
  causes: number;
  /** The entries that the last applied plan and the last compared plan read, and those that this service added. */
  entries: { list: string; address: string; cause: Cause | null }[];
}

interface Confirmed {
  email: EmailAddress;
  at: Date;
}

/** Far more entries than `MAX_CONFIRMED` addresses have. */
const MAX_ENTRIES = 5_000;

const READ = new PreparedStatement<Known>(
  'read-known-provider-list-entries',
  `SELECT
    wanted.email,
    coalesce((
      SELECT ${LIVE_CAUSES} FROM suppressions WHERE account_id = $1 AND email = wanted.email AND ${IS_LIVE}
    ), 0) AS causes,
    coalesce(known.entries, '[]') AS entries,
    (
      SELECT suppression_id
      FROM suppression_changes
      WHERE account_id = $1 AND email = wanted.email AND topic_id IS NULL
      ORDER BY revision DESC
      LIMIT 1
    ) AS record
  FROM unnest(${hideLength('$4', 'text')} COLLATE "C") AS wanted (email)
  LEFT JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object('list', list, 'address', address, 'cause', cause)) AS entries
    FROM (
      SELECT DISTINCT ON (list, address) list, address, cause
      FROM (
        SELECT list, address, cause, plan_id
        FROM provider_list_entries
        WHERE account_id = $1
          AND plan_id = ANY (ARRAY[$3::uuid, (
            SELECT id
            FROM provider_list_plans
            WHERE account_id = $1 AND provider_list_id = $2 AND status IN ('ready', 'stopped', 'applying', 'applied')
            ORDER BY id DESC
            LIMIT 1
          )])
          AND email = wanted.email
          AND NOT is_gone
        UNION ALL
        SELECT list, address, NULL, NULL
        FROM provider_list_pushes
        WHERE account_id = $1
          AND provider_list_id = $2
          AND email = wanted.email
          AND action = 'add'
          AND num_nonnulls(put_at, attempted_at) > 0
      ) AS known_entry
      ORDER BY list, address, plan_id DESC NULLS LAST
    ) AS entry
  ) AS known ON true`,
);

const CONFIRMED = new PreparedStatement<Confirmed>(
  'read-confirmed-provider-list-removals',
  `SELECT email, max(created_at) AS at
  FROM (
    SELECT email, created_at
    FROM provider_list_pushes
    WHERE account_id = $1 AND provider_list_id = $2 AND consent IS NOT NULL AND created_at > now() - interval '24 hours'
    ORDER BY created_at DESC
    LIMIT ${MAX_ENTRIES}
  ) AS confirmed
  GROUP BY email
  ORDER BY at`,
);

@Injectable()
export class ListRemovalsRepository {
  findKnown(
    { accountId, id, basePlanId }: ProviderList,
    emails: string[],
    transaction: EntityManager,
  ): Promise<Known[]> {
    return READ.run(transaction, [accountId, id, basePlanId, emails]);
  }

  /**
   * The removals that were confirmed within the last 24 hours, with the time of each address's last confirmation, oldest first.
   */
  findConfirmed({ accountId, id }: ProviderList, transaction: EntityManager): Promise<Confirmed[]> {
    return CONFIRMED.run(transaction, [accountId, id]);
  }
}
