import type { EmailAddress } from '../email-address/email-address.js';
import type { CountedChange } from '../metrics/metrics.js';
import type { Subscription } from './topic.entity.js';

export interface Choice {
  email: EmailAddress;
  topicId: string;
  subscription: Subscription;
  emailId: string | null;
  /** When it happened, as far as that is known and differs from now. */
  occurredAt: Date | null;
  eventId: string | null;
  note: string | null;
}

/** A choice that changed the stored one. */
export type ChangedPreference = CountedChange & Pick<Choice, 'email'>;
