import type { Actor as AuditActor } from '../audit/actor.js';
import type { Evidence } from './evidence.js';

export interface Actor extends AuditActor {
  /** What entitles the actor to the change, where proof is required. */
  evidence?: Evidence | null;
}
