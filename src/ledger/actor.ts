import type { Actor as AuditActor } from '../audit/actor.js';
import type { Evidence } from './evidence.js';

/** Who makes a change of the list, as the ledger keeps it. */
export interface Actor extends AuditActor {
  /** What entitles the actor to the change, if it has to be shown. */
  evidence?: Evidence | null;
}
