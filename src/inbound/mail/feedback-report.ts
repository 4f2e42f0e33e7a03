import type { EmailAddress } from '../../email-address/email-address.js';
import { readTypedAddress } from './address-text.js';
import { byName, readFieldGroups } from './header-fields.js';

/** A `message/feedback-report` part (RFC 5965). */
export interface FeedbackReport {
  /** In lower case. */
  feedbackType: string | undefined;
  recipients: EmailAddress[];
  /** The return path of the reported mail (RFC 5965, section 3.2). */
  mailFrom: EmailAddress | undefined;
}

const MAX_RECIPIENTS = 100;

export function readFeedbackReport(text: string): FeedbackReport {
  const fields = readFieldGroups(text).flat();
  const named = byName(fields);
  const feedbackType = /[\w-]{1,40}/.exec(named.get('feedback-type') ?? '')?.[0].toLowerCase();
  const recipients = fields
    .filter(({ name }) => name === 'original-rcpt-to' || name === 'removal-recipient')
    .slice(0, MAX_RECIPIENTS)
    .map(({ value }) => readTypedAddress(value))
    .filter((address) => address !== undefined);
  const mailFrom = readTypedAddress(named.get('original-mail-from'));
  return { feedbackType, recipients: [...new Set(recipients)], mailFrom };
}
