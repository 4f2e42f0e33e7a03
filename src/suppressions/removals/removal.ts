import { CAUSES, type Cause } from '../../ledger/cause.js';
import type { Consent } from '../../ledger/evidence.js';
import type { NamedSuppression } from '../suppression.entity.js';

/** A request to lift causes, with its reason and what entitles the caller to it. */
export interface Removal {
  /** Null for all causes. */
  cause: Cause | null;
  note: string | null;
  consent: Consent | null;
  /** Whether the caller may lift complaints and unsubscribes: the scope `suppressions:lift`, or an operator. */
  mayLift: boolean;
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

export interface LiftedSuppression extends NamedSuppression {
  action: 'removed' | 'cause_removed';
  cause: Cause;
}
