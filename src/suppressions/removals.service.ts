import { Injectable } from '@nestjs/common';
import type { Identity, RequestContext } from '../audit/request-context.js';
import type { WriteContext } from '../database/transaction.js';
import { CAUSES, type Cause } from '../ledger/cause.js';
import type { Consent } from '../ledger/evidence.js';
import { StoredNames } from '../pseudonyms/stored-names.js';
import { CauseNotFoundError, SuppressionNotFoundError } from './errors.js';
import { RemovalsRepository, type Lift, type LiftedSuppression } from './removals.repository.js';
import type { SuppressionRef, SuppressionRefs } from './suppression-ref.js';

/** A request to lift causes, with its reason and its evidence. */
export interface Removal extends Omit<Lift, 'liftable'> {
  consent: Consent | null;
  /**
   * Whether the caller may lift complaints and unsubscribes, because it has the scope `suppressions:lift` or is an operator.
   */
  mayLift: boolean;
}

@Injectable()
export class RemovalsService {
  constructor(
    private readonly removals: RemovalsRepository,
    private readonly storedNames: StoredNames,
  ) {}

  /**
   * Removes a record, or one of its causes.
   *
   * @throws {SuppressionNotFoundError}
   * @throws {CauseNotFoundError}
   * @throws {RemovalNotAllowedError}
   */
  async remove(context: RequestContext, ref: SuppressionRef, removal: Removal): Promise<LiftedSuppression> {
    const refs = 'id' in ref ? { ids: [ref.id] } : { emails: [ref.email] };
    const [lifted] = await this.lift(context, refs, removal, context);
    if (!lifted) {
      throw removal.cause ? new CauseNotFoundError() : new SuppressionNotFoundError();
    }
    return lifted;
  }

  /**
   * Removes records, or one of their causes. References without a record are skipped.
   *
   * @returns the lifted records, in the order of the references
   * @throws {RemovalNotAllowedError} if any of them is guarded; then none is removed
   */
  async batchRemove(
    identity: Identity,
    refs: SuppressionRefs,
    removal: Removal,
    context: WriteContext,
  ): Promise<LiftedSuppression[]> {
    const lifted = await this.lift(identity, refs, removal, context);
    const byRef = new Map<string, LiftedSuppression>(
      lifted.map((suppression) => ['ids' in refs ? suppression.id : suppression.email, suppression]),
    );
    const requested = new Set('ids' in refs ? refs.ids : refs.emails);
    return [...requested].flatMap((ref) => byRef.get(ref) ?? []);
  }

  private async lift(
    identity: Identity,
    refs: SuppressionRefs,
    removal: Removal,
    context: WriteContext,
  ): Promise<LiftedSuppression[]> {
    const { accountId, actor } = identity;
    const pseudonyms = await this.storedNames.forWriting(accountId, 'ids' in refs ? [] : refs.emails);
    const renamed = await this.storedNames.renameInTexts(accountId, removal, pseudonyms);
    const { consent } = renamed;
    const actorWithEvidence = consent ? { ...actor, evidence: { consent } } : actor;
    const lifted = await this.removals.lift(
      { accountId, actor: actorWithEvidence },
      'ids' in refs ? refs : { emails: refs.emails.map((email) => pseudonyms.get(email) ?? email) },
      { ...renamed, liftable: liftableCauses(removal) },
      context,
    );
    const given = new Map([...pseudonyms].map(([email, pseudonym]) => [pseudonym, email]));
    return lifted.map((suppression) => {
      const email = given.get(suppression.email);
      return email ? { ...suppression, email } : suppression;
    });
  }
}

/** The causes that may be lifted in an account that guards removals. */
export function liftableCauses({ note, consent, mayLift }: Removal): Cause[] {
  return CAUSES.filter((cause) => {
    switch (cause) {
      case 'manual':
        return true;
      case 'bounce':
        return Boolean(note?.trim());
      default:
        return mayLift && consent !== null;
    }
  });
}
