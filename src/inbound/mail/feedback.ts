import type { EmailAddress } from '../../email-address/email-address.js';
import { toAddress } from './address-text.js';
import { FEEDBACK_TYPES } from '../policy/feedback.js';
import { mappingFor } from '../policy/mapping.js';
import { readFeedbackReport } from './feedback-report.js';
import { header, partOf } from './message.js';
import type { OpenedMessage } from './opened-message.js';
import type { MailReport } from './report.js';
import { readSesNotification } from './ses-notification.js';
import { addressesIn } from './returned-message.js';

/** Microsoft's programme for senders (JMRP) reports in a form of its own, by this field of the returned message. */
const MICROSOFT_RECIPIENT = 'x-hmxmroriginalrecipient';

/** Reads complaints and unsubscribes; none if the message is neither. */
export function readFeedback(opened: OpenedMessage): MailReport[] {
  const { message, returned } = opened;
  const part = partOf(message, 'message/feedback-report');
  if (part !== undefined) {
    const { feedbackType, recipients, mailFrom } = readFeedbackReport(part);
    const known = recipients.length > 0 ? recipients : concealedRecipient(opened);
    return toReports(known, feedbackType, opened, mailFrom);
  }
  const microsoftRecipient = toAddress(returned.headers.get(MICROSOFT_RECIPIENT));
  if (microsoftRecipient && /^\s*complaint about message from\b/i.test(header(message, 'subject'))) {
    return toReports([microsoftRecipient], 'abuse', opened);
  }
  const { complained } = readSesNotification(message);
  if (complained.length > 0) {
    return toReports(complained, 'abuse', opened);
  }
  return isUnsubscribe(opened)
    ? toReports(addressesIn(message.headers, 'from').slice(0, 1), 'opt-out', opened)
    : [];
}

/** Where the report names no recipient: the one of the returned message, if it has but one; else nobody. */
function concealedRecipient({ returned }: OpenedMessage): EmailAddress[] {
  const named = toAddress(returned.headers.get(MICROSOFT_RECIPIENT));
  return named ? [named] : returned.recipients.length === 1 ? returned.recipients : [];
}

/** What a mail program sends by itself to the `mailto:` of List-Unsubscribe (RFC 2369, section 3.2). */
function isUnsubscribe({ message }: OpenedMessage): boolean {
  return (
    /^\s*unsubscribe\s*$/i.test(header(message, 'subject')) &&
    /^\s*auto-(?:generated|replied)\b/i.test(header(message, 'auto-submitted'))
  );
}

function toReports(
  recipients: EmailAddress[],
  feedbackType: string | undefined,
  { reported }: OpenedMessage,
  mailFrom?: EmailAddress,
): MailReport[] {
  const classification = mappingFor(FEEDBACK_TYPES, feedbackType)({});
  const known = recipients.length > 0 ? recipients : [null];
  const about = mailFrom ? { ...reported, returnPaths: [...reported.returnPaths, mailFrom] } : reported;
  return known.map((recipient) => ({
    recipient,
    ...classification,
    bounceType: null,
    status: null,
    diagnostic: null,
    feedbackType: feedbackType ?? null,
    reported: about,
  }));
}
