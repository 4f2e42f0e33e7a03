import type { Caller } from '../api-keys/caller.js';
import type { ActorType } from './suppression-change.entity.js';

/** Who makes a change, as the ledger keeps it. */
export interface Actor {
  type: ActorType;
  id: string | null;
  name: string;
}

export function actorOf({ apiKeyId, apiKeyName }: Caller): Actor {
  return { type: 'api_key', id: apiKeyId, name: apiKeyName };
}
