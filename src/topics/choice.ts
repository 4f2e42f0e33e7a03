import type { EmailAddress } from '../email-address/email-address.js';
import type { CountedChange } from '../metrics/metrics.js';
import type { Subscription } from './topic.entity.js';

/** What a recipient chose for a topic. */
export interface Choice {
  email: EmailAddress;
  topicId: string;
  subscription: Subscription;
  /** The email in which the recipient chose. */
  emailId: string | null;
  /** When it happened, as far as that is known and differs from now. */
  occurredAt: Date | null;
  /** The delivery event that reported it. */
  eventId: string | null;
  note: string | null;
}

/** A choice that changed the stored one. */
export type ChangedPreference = CountedChange & Pick<Choice, 'email'>;
