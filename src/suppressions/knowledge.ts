import type { EmailAddress } from '../email-address/email-address.js';
import type { Cause } from '../ledger/cause.js';
import type { RuleSet } from '../rules/rule-set.js';
import type { Subscription } from '../topics/topic.entity.js';
import type { FoundSuppression } from './suppression-lookup.js';
import type { Purpose } from './verdict.js';

export interface RecordWithCauses {
  record: FoundSuppression;
  causes: readonly Cause[];
}

export interface Knowledge {
  purpose: Purpose;
  records: RecordWithCauses[];
  preferences: Map<EmailAddress, Subscription>;
  rules: RuleSet;
}
