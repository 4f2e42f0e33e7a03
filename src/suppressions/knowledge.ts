import type { EmailAddress } from '../email-address/email-address.js';
import type { Cause } from '../ledger/cause.js';
import type { RuleSet } from '../rules/rule-set.js';
import type { Subscription } from '../topics/topic.entity.js';
import type { FoundSuppression } from './suppression-lookup.js';
import type { Purpose } from './verdict.js';

export interface RecordWithCauses {
  record: FoundSuppression;
  causes: readonly Cause[];
  /** When the hold of its bounce ends, in ISO 8601. Absent of a past record. */
  heldUntil?: string | null;
}

export interface Knowledge {
  purpose: Purpose;
  records: RecordWithCauses[];
  preferences: Map<EmailAddress, Subscription>;
  rules: RuleSet;
}
