import { PreparedStatement } from '../database/prepared-statement.js';
import { RowSet } from '../database/rows.js';
import { REOPENING_MS } from './detect.js';
import { Incident } from './incident.entity.js';
import type { Watch } from './watches.js';

const ACTIVE = new RowSet(2, {
  id: 'uuid',
  activeAt: 'timestamptz',
  addresses: 'integer',
  recent: 'integer',
  isConvincing: 'boolean',
});

const NOTE = new PreparedStatement<Record<string, never>>(
  'note-incident-activity',
  `UPDATE incidents
  SET active_at = greatest(incidents.active_at, active.active_at),
    addresses = incidents.addresses + active.addresses,
    delivered_before = delivered_before + active.recent,
    is_convincing = incidents.is_convincing OR active.is_convincing
  FROM ${ACTIVE.as('active')}
  WHERE incidents.account_id = $1 AND incidents.id = active.id`,
);

const FAILED_AGAIN = new RowSet(2, { suppressionId: 'uuid', occurredAt: 'timestamptz' });

const FIND_FAILED_AGAIN = new PreparedStatement<{ suppressionId: string }>(
  'find-held-bounces-that-failed-again',
  `SELECT DISTINCT held.suppression_id AS "suppressionId"
  FROM ${FAILED_AGAIN.as('failed')}
  JOIN held_bounces AS held ON held.account_id = $1 AND held.suppression_id = failed.suppression_id
  JOIN incidents ON incidents.account_id = $1 AND incidents.id = held.incident_id
  WHERE incidents.closed_at < failed.occurred_at`,
);

export interface Activity {
  id: string;
  activeAt: Date | null;
  addresses: number;
  recent: number;
  isConvincing: boolean;
}

/** Finds open incidents, and incidents that ended so recently that they reopen at a lower threshold. */
export function findRecent({ accountId, now, transaction }: Watch): Promise<Incident[]> {
  return transaction
    .createQueryBuilder(Incident, 'incident')
    .where('account_id = :accountId AND (closed_at IS NULL OR closed_at > :since)', {
      accountId,
      since: new Date(now.getTime() - REOPENING_MS),
    })
    .orderBy('id', 'ASC')
    .getMany();
}

/** An incident whose decision has not been applied to all held bounces. */
export function findUnsettled({ accountId, transaction }: Watch): Promise<Incident | null> {
  return transaction
    .createQueryBuilder(Incident, 'incident')
    .where('account_id = :accountId AND decision IS NOT NULL AND settled_at IS NULL', { accountId })
    .orderBy('id', 'ASC')
    .getOne();
}

export async function note({ accountId, transaction }: Watch, activities: Activity[]): Promise<void> {
  if (activities.length > 0) {
    await NOTE.run(transaction, [accountId, ...ACTIVE.values(activities)]);
  }
}

/** Finds the suppressions whose address failed again after the incident that held them had closed. */
export async function findFailedAgain(
  { accountId, transaction }: Watch,
  failed: { suppressionId: string; occurredAt: Date }[],
): Promise<string[]> {
  if (failed.length === 0) {
    return [];
  }
  const rows = await FIND_FAILED_AGAIN.run(transaction, [accountId, ...FAILED_AGAIN.values(failed)]);
  return rows.map(({ suppressionId }) => suppressionId);
}
