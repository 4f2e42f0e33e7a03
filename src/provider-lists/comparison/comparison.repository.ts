import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CAUSES, type Cause } from '../../ledger/cause.js';
import type { ProviderList } from '../provider-list.entity.js';
import { listProviderOf } from '../providers/providers.js';
import { COMPARE_HERE } from './compare-here.js';
import { COMPARE_GONE, COMPARE_THERE, type Compared, type Position } from './comparison-statements.js';

/** Compares a batch after a position, writes its lines, and returns their numbers by kind. */
@Injectable()
export class ComparisonRepository {
  async compareThere(
    list: ProviderList,
    planId: string,
    after: Position,
    transaction: EntityManager,
  ): Promise<Compared> {
    const { additions, removals, find } = listProviderOf(list.provider);
    const shown = additions.flatMap((line) =>
      line.list === null ? [] : [`${line.list} ${line.cause} ${line.becomes}`],
    );
    const removable = removals.flatMap(({ list: name, refuses }) =>
      CAUSES.filter((cause) => !refuses.includes(cause)).map((cause) => `${name} ${cause}`),
    );
    const flags = [find !== undefined, list.pushUnsubscribes];
    const values = [list.accountId, planId, ...after, list.id, shown, removable, ...flags];
    return (await COMPARE_THERE.run(transaction, values))[0]!;
  }

  /** @param plan - its `basePlanId` is the plan that was last applied */
  async compareGone(
    accountId: number,
    { id, basePlanId }: { id: string; basePlanId: string },
    after: Position,
    transaction: EntityManager,
  ): Promise<Compared> {
    return (await COMPARE_GONE.run(transaction, [accountId, id, ...after, basePlanId]))[0]!;
  }

  /** @param ineffective - the causes that have no effect at the provider */
  async compareHere(
    list: ProviderList,
    planId: string,
    after: Position,
    ineffective: readonly Cause[],
    transaction: EntityManager,
  ): Promise<Compared> {
    const { additions } = listProviderOf(list.provider);
    const lists = (['complaint', 'bounce', 'manual', 'unsubscribe'] as const).map((cause) =>
      cause === 'unsubscribe' && !list.pushUnsubscribes
        ? null
        : (additions.find((addition) => addition.cause === cause)?.list ?? null),
    );
    const values = [list.accountId, planId, ...after, ...lists, ineffective, list.id, list.pushRemovals];
    return (await COMPARE_HERE.run(transaction, values))[0]!;
  }
}
