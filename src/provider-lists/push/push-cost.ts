import type { EntityManager } from 'typeorm';
import { Account } from '../../accounts/account.entity.js';
import type { LineKind } from '../plans/line-kinds.js';
import { ProviderListLine } from '../plans/provider-list-line.entity.js';
import type { ProviderListPlan } from '../plans/provider-list-plan.entity.js';
import type { ProviderList } from '../provider-list.entity.js';
import type { ListChanges } from '../providers/provider.js';
import { listProviderOf } from '../providers/providers.js';
import { removalCap } from './push-conditions.js';
import { INCIDENT_SECONDS } from './push-states.repository.js';

/**
 * A change takes two requests, because the entry is looked up first. `REQUEST_MS` is about the time of a request to a provider
 * without a pace.
 */
const REQUESTS = 2;
const REQUEST_MS = 100;

/** The time that applying a plan takes at the provider, and the number of removals beyond the cap. */
export async function costOf(
  { provider, pushAdditions, pushRemovals }: ProviderList,
  plan: Pick<ProviderListPlan, 'accountId' | 'id' | 'entries'>,
  counts: Partial<Record<LineKind, number>>,
  transaction: EntityManager,
): Promise<Pick<ProviderListPlan, 'capped' | 'pushSeconds'>> {
  const { add, remove } = listProviderOf(provider);
  const additions = pushAdditions ? (counts.push ?? 0) : 0;
  const wanted = pushRemovals ? (counts.remove ?? 0) : 0;
  const removals = Math.min(wanted, removalCap(plan.entries));
  const milliseconds = durationOf(additions, add) + durationOf(removals, remove);
  const waits = pushAdditions && (await waitsForIncidents(plan, transaction));
  const waitSeconds = waits ? INCIDENT_SECONDS : 0;
  return { capped: wanted - removals, pushSeconds: Math.ceil(milliseconds / 1_000) + waitSeconds };
}

/** Whether a plan adds bounces at the provider, and the account lets incidents hold them first. */
async function waitsForIncidents(
  { accountId, id: planId }: Pick<ProviderListPlan, 'accountId' | 'id'>,
  transaction: EntityManager,
): Promise<boolean> {
  const { incidentGuard } = await transaction.findOneByOrFail(Account, { id: accountId });
  const bounces = { accountId, planId, kind: 'push', cause: 'bounce' } as const;
  return incidentGuard === 'hold' && transaction.existsBy(ProviderListLine, bounces);
}

function durationOf(changes: number, how: ListChanges | undefined): number {
  return how ? changes * REQUESTS * Math.max(how.pace.ms, REQUEST_MS) : 0;
}
