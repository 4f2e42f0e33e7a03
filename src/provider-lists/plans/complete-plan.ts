import type { EntityManager } from 'typeorm';
import { announceEvent } from '../../announcements/announce-event.js';
import { createEvent } from '../../announcements/event.js';
import { PlanDto } from '../dto/plan.dto.js';
import { ProviderList } from '../provider-list.entity.js';
import { ProviderListPlan } from './provider-list-plan.entity.js';

/** Ends a plan that was applied, and tells the webhooks. */
export async function completePlan(
  { accountId, id, provider, name }: ProviderList,
  planId: string,
  transaction: EntityManager,
): Promise<void> {
  const now = new Date();
  await transaction.update(ProviderList, { accountId, id }, { lastSuccessAt: now, lastError: null });
  await transaction.update(ProviderListPlan, { accountId, id: planId }, { status: 'applied' });
  const plan = await transaction.findOneByOrFail(ProviderListPlan, { accountId, id: planId });
  const data = { ...new PlanDto(plan), provider_list: { id, provider, name } };
  await announceEvent(transaction, accountId, createEvent('provider_list.completed', plan.jobId, now, data));
}
