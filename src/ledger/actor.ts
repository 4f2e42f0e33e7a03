import type { Actor } from '../audit/actor.js';
import type { Evidence } from './evidence.js';

export interface ChangeActor extends Actor {
  /** What entitles the actor to the change, where proof is required. */
  evidence?: Evidence | null;
}
