import type { EntityManager } from 'typeorm';
import { Account } from '../../accounts/account.entity.js';
import type { Compared } from '../comparison/comparison-batch.js';
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

/**
 * The time that applying a plan takes at the provider, and the number of removals beyond the cap. While bounces wait so that an
 * incident can hold them first, the other changes are sent.
 */
export async function costOf(
  { accountId, provider, pushAdditions, pushRemovals }: ProviderList,
  entries: number,
  { counts, pushedBounces }: Pick<Compared, 'counts' | 'pushedBounces'>,
  transaction: EntityManager,
): Promise<Pick<ProviderListPlan, 'capped' | 'pushSeconds'>> {
  const { add, remove } = listProviderOf(provider);
  const additions = pushAdditions ? (counts.push ?? 0) : 0;
  const bounces = pushAdditions ? pushedBounces : 0;
  const wanted = pushRemovals ? (counts.remove ?? 0) : 0;
  const removals = Math.min(wanted, removalCap(entries));
  const waits =
    bounces > 0 && (await transaction.existsBy(Account, { id: accountId, incidentGuard: 'hold' }));
  const others = durationOf(additions - bounces, add) + durationOf(removals, remove);
  const milliseconds = Math.max(others, waits ? INCIDENT_SECONDS * 1_000 : 0) + durationOf(bounces, add);
  return { capped: wanted - removals, pushSeconds: Math.ceil(milliseconds / 1_000) };
}

function durationOf(changes: number, how: ListChanges | undefined): number {
  return how ? changes * REQUESTS * Math.max(how.pace.ms, REQUEST_MS) : 0;
}
