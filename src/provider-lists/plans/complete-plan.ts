import type { EntityManager } from 'typeorm';
import { announceEvent, createEvent } from '../../announcements/events.js';
import { PlanDto } from '../dto/plan.dto.js';
import { ProviderList } from '../provider-list.entity.js';
import { ProviderListPlan } from './provider-list-plan.entity.js';

/**
 * Completes a plan that was applied, and announces this to webhooks. Deletes removals that are so old that no plan in progress
 * can have read their entries.
 */
export async function completePlan(
  { accountId, id, provider, name, stoppedAt }: ProviderList,
  planId: string,
  transaction: EntityManager,
): Promise<void> {
  const now = new Date();
  await transaction.update(
    ProviderList,
    { accountId, id },
    {
      lastSuccessAt: now,
      ...(!stoppedAt && { lastError: null }),
    },
  );
  await transaction.update(ProviderListPlan, { accountId, id: planId }, { status: 'applied' });
  await transaction.query(
    `DELETE FROM provider_list_pushes
    WHERE account_id = $1
      AND provider_list_id = $2
      AND action = 'remove'
      AND status = 'done'
      AND consent IS NULL
      AND next_attempt_at < now() - interval '7 days'`,
    [accountId, id],
  );
  const plan = await transaction.findOneByOrFail(ProviderListPlan, { accountId, id: planId });
  const data = { ...new PlanDto(plan), provider_list: { id, provider, name } };
  await announceEvent(transaction, accountId, createEvent('provider_list.completed', plan.jobId, now, data));
}

export async function failPlan(
  { accountId, id }: ProviderList,
  planId: string,
  reason: string,
  transaction: EntityManager,
): Promise<void> {
  await transaction.update(ProviderList, { accountId, id }, { lastError: reason });
  await transaction.update(ProviderListPlan, { accountId, id: planId }, { status: 'failed', reason });
}
