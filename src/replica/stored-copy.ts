import type { ComplaintReach } from '../accounts/account.entity.js';
import type { Pattern } from '../rules/pattern.js';
import type { RuleEffect } from '../rules/rule.entity.js';
import type { Subscription } from '../topics/topic.entity.js';

/** A record: its id, its causes as a mask, and when a bounce and a manual entry end, in milliseconds; 0 if never. */
export type StoredRecord = [id: string, causes: number, expiresAt: number];

/** What a check needs besides the list. */
export interface Settings {
  complaintReach: ComplaintReach;
  topics: { id: string; key: string; default_subscription: Subscription }[];
  rules: {
    id: string;
    pattern: Pattern;
    effect: RuleEffect;
    topic: string | null;
    expires_at: string | null;
  }[];
  rulesVersion: string | null;
}

/** Which copy is complete, and where it stands. */
export interface CopyState {
  side: Side;
  /** Whose list it is: a hash of the URL and the API key that last read the cursor. */
  owner: string;
  cursor: string;
  /** The copy is as the list was then, or newer; in milliseconds since 1970. */
  knownAt: number;
}

export type Side = 'a' | 'b';
