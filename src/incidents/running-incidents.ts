import { PreparedStatement } from '../database/prepared-statement.js';
import { RowSet } from '../database/rows.js';
import { REOPENING_MS } from './detect.js';
import { Incident } from './incident.entity.js';
import type { Watch } from './watches.js';

const FAILED_AGAIN = new RowSet(2, { suppressionId: 'uuid', occurredAt: 'timestamptz' });

const FIND_FAILED_AGAIN = new PreparedStatement<{ suppressionId: string }>(
  'find-held-bounces-that-failed-again',
  `SELECT DISTINCT held.suppression_id AS "suppressionId"
  FROM ${FAILED_AGAIN.as('failed')}
  JOIN held_bounces AS held ON held.account_id = $1 AND held.suppression_id = failed.suppression_id
  JOIN incidents ON incidents.account_id = $1 AND incidents.id = held.incident_id
  WHERE incidents.closed_at < failed.occurred_at`,
);

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
