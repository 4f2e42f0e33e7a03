import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { AdditionCapability } from '../providers/provider.js';
import {
  COMPARE_GONE,
  COMPARE_HERE,
  COMPARE_THERE,
  type Compared,
  type Position,
} from './comparison-statements.js';

/** Compares a batch after a position, writes its lines, and returns their numbers by kind. */
@Injectable()
export class ComparisonRepository {
  async compareThere(
    accountId: number,
    planId: string,
    after: Position,
    transaction: EntityManager,
  ): Promise<Compared> {
    return (await COMPARE_THERE.run(transaction, [accountId, planId, ...after]))[0]!;
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

  async compareHere(
    accountId: number,
    { id, additions }: { id: string; additions: readonly AdditionCapability[] },
    after: Position,
    transaction: EntityManager,
  ): Promise<Compared> {
    const lists = (['complaint', 'bounce', 'manual'] as const).map(
      (cause) => additions.find((addition) => addition.cause === cause)?.list ?? null,
    );
    return (await COMPARE_HERE.run(transaction, [accountId, id, ...after, ...lists]))[0]!;
  }
}
