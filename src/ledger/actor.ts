import type { Caller } from '../api-keys/caller.js';
import type { ActorType } from './suppression-change.entity.js';
import type { Evidence } from './evidence.js';

/** Who makes a change, as the ledger keeps it. */
export interface Actor {
  type: ActorType;
  id: string | null;
  name: string;
  /** What entitles the actor to the change, if it has to be shown. */
  evidence?: Evidence | null;
}

export function actorOf({ apiKeyId, apiKeyName }: Caller): Actor {
  return { type: 'api_key', id: apiKeyId, name: apiKeyName };
}
