import type { ComplaintReach } from '../accounts/account.entity.js';
import { maskOf } from '../ledger/cause.js';
import type { Pattern } from '../rules/pattern.js';
import type { RuleEffect } from '../rules/rule.entity.js';
import type { Subscription } from '../topics/topic.entity.js';
import type { ExportedRecord } from './service-client.js';

/** A record: its id, its causes as a mask, and when a bounce and a manual entry end, in milliseconds; 0 if never. */
export type StoredRecord = [id: string, causes: number, expiresAt: number];

/** The data that a check needs in addition to the list. */
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
  /** Null if the account keeps no block of an erased address. Undefined if an earlier version stored the settings. */
  keptBlocksVersion?: string | null;
  /** In base64. Null if the account keeps no block of an erased address, or the API key may not read it. */
  pseudonymKey?: string | null;
  /** The masked filters of kept blocks, by pseudonym. Null if there are too many, undefined if unknown. */
  blockFilters?: Record<string, number> | null;
}

/** The complete copy, and how current it is. */
export interface CopyState {
  side: Side;
  /** Identifies the account: a hash of the URL and the API key that last read the cursor. */
  owner: string;
  cursor: string;
  /** Milliseconds since 1970: the copy has at least the changes until then. */
  knownAt: number;
}

export type Side = 'a' | 'b';

export function toStored({ id, causes, expires_at }: Omit<ExportedRecord, 'email'>): StoredRecord {
  return [id, maskOf(causes), expires_at === null ? 0 : Date.parse(expires_at)];
}
