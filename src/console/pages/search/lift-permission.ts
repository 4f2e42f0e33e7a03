import { NEVER_EXPIRES, type Cause } from '../../../ledger/cause.js';
import type { Visitor } from '../../people/sessions.service.js';

/** Whether an account that guards removals asks for the consent of the recipient. */
export function needsConsent(causes: readonly Cause[]): boolean {
  return causes.some((cause) => NEVER_EXPIRES.includes(cause));
}

/** Whether a person may lift all these causes, at once. */
export function mayLift(visitor: Visitor, causes: readonly Cause[], isGuarded: boolean): boolean {
  return visitor.isEditor && (!isGuarded || !needsConsent(causes) || visitor.isAdmin);
}

/**
 * Whether a person may lift by query, or decide about many suppressions at once. In a guarded account, only those who may give
 * a consent do so.
 */
export function mayLiftMany(visitor: Visitor, isGuarded: boolean): boolean {
  return visitor.isEditor && (!isGuarded || visitor.isAdmin);
}
