import { Injectable } from '@nestjs/common';
import type { WriteContext } from '../../database/write-context.js';
import type { ChangeActor } from '../../ledger/actor.js';
import { CauseNotFoundError, SuppressionNotFoundError } from '../errors.js';
import type { SuppressionRef, SuppressionRefs } from '../suppression-ref.js';
import { SuppressionsRepository } from '../suppressions.repository.js';
import { liftableCauses, type LiftedSuppression, type Removal } from './removal.js';

@Injectable()
export class RemovalsService {
  constructor(private readonly suppressions: SuppressionsRepository) {}

  /**
   * Removes a record, or one of its causes.
   *
   * @throws {SuppressionNotFoundError}
   * @throws {CauseNotFoundError}
   * @throws {RemovalNotAllowedError}
   */
  async remove(
    accountId: number,
    actor: ChangeActor,
    ref: SuppressionRef,
    removal: Removal,
    deadline: number,
  ): Promise<LiftedSuppression> {
    const refs = 'id' in ref ? { ids: [ref.id] } : { emails: [ref.email] };
    const [lifted] = await this.lift(accountId, actor, refs, removal, { deadline });
    if (!lifted) {
      throw removal.cause ? new CauseNotFoundError() : new SuppressionNotFoundError();
    }
    return lifted;
  }

  /**
   * Removes the records that exist, or one of their causes.
   *
   * @returns what was lifted, in the order of the references
   * @throws {RemovalNotAllowedError} if any of them is guarded; then none is removed
   */
  async batchRemove(
    accountId: number,
    actor: ChangeActor,
    refs: SuppressionRefs,
    removal: Removal,
    context: WriteContext,
  ): Promise<LiftedSuppression[]> {
    const lifted = await this.lift(accountId, actor, refs, removal, context);
    const byRef = new Map<string, LiftedSuppression>(
      lifted.map((suppression) => ['ids' in refs ? suppression.id : suppression.email, suppression]),
    );
    const requested = new Set('ids' in refs ? refs.ids : refs.emails);
    return [...requested].flatMap((ref) => byRef.get(ref) ?? []);
  }

  private lift(
    accountId: number,
    actor: ChangeActor,
    refs: SuppressionRefs,
    removal: Removal,
    context: WriteContext,
  ): Promise<LiftedSuppression[]> {
    const { consent } = removal;
    const actorWithEvidence = consent ? { ...actor, evidence: { consent } } : actor;
    const liftable = liftableCauses(removal);
    return this.suppressions.lift(accountId, actorWithEvidence, refs, removal, liftable, context);
  }
}
