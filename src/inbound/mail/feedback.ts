import type { EmailAddress } from '../../email-address/email-address.js';
import { addressOf } from '../parsing/report.js';
import { complaintIn, isAmbiguous } from '../parsing/ses-notification.js';
import { FEEDBACK_TYPES, mappingFor, ONE_OF_SEVERAL_COMPLAINED } from '../policy/mapping.js';
import { toAddress } from './address-text.js';
import { mailedRecipients } from './failures.js';
import { header, partOf } from './message.js';
import { addressesIn, type OpenedMessage } from './opened-message.js';
import { MAX_RECIPIENTS, readFeedbackReport } from './report-fields.js';
import type { MailReport } from './mail-report.js';
import { sesNotificationIn } from './ses-notification.js';

/** Microsoft's program for senders (JMRP) names the recipient in this field of the returned message. */
const MICROSOFT_RECIPIENT = 'x-hmxmroriginalrecipient';

interface Feedback {
  /** Empty if the report conceals them. */
  recipients: EmailAddress[];
  /** RFC 5965, section 3.1; undefined where a feedback report lacks it. */
  type: string | undefined;
  isAmbiguous?: boolean;
  mailFrom?: EmailAddress | undefined;
}

/** Reads complaints and unsubscribes. Returns none if the message is neither. */
export function readFeedback(opened: OpenedMessage): MailReport[] {
  const feedback =
    standardFeedback(opened) ?? microsoftFeedback(opened) ?? sesFeedback(opened) ?? unsubscribe(opened);
  return feedback === undefined ? [] : toReports(feedback, opened);
}

/** RFC 5965. Behind a forwarding, the recipient that complained is not the one that was mailed. */
function standardFeedback(opened: OpenedMessage): Feedback | undefined {
  const { message, returned } = opened;
  const part = partOf(message, 'message/feedback-report');
  if (part === undefined) {
    return undefined;
  }
  const { feedbackType, recipients, mailFrom } = readFeedbackReport(part);
  const microsoftRecipient = toAddress(returned.headers.get(MICROSOFT_RECIPIENT));
  const choices = [
    mailedRecipients(recipients, opened),
    microsoftRecipient ? [microsoftRecipient] : [],
    returned.recipients.length === 1 ? returned.recipients : [],
  ];
  return { recipients: choices.find((choice) => choice.length > 0) ?? [], type: feedbackType, mailFrom };
}

function microsoftFeedback({ message, returned }: OpenedMessage): Feedback | undefined {
  const recipient = toAddress(returned.headers.get(MICROSOFT_RECIPIENT));
  const isComplaint = /^\s*complaint about message from\b/i.test(header(message, 'subject'));
  return recipient && isComplaint ? { recipients: [recipient], type: 'abuse' } : undefined;
}

function sesFeedback({ message }: OpenedMessage): Feedback | undefined {
  const complaint = complaintIn(sesNotificationIn(message));
  const few = { ...complaint, recipients: complaint.recipients.slice(0, MAX_RECIPIENTS) };
  const recipients = few.recipients
    .map((recipient) => toAddress(recipient && addressOf(recipient)))
    .filter((address) => address !== undefined);
  return recipients.length > 0
    ? { recipients, type: complaint.feedbackType, isAmbiguous: isAmbiguous(few) }
    : undefined;
}

/** The message that a mail program sends automatically to the `mailto:` of List-Unsubscribe (RFC 2369, section 3.2). */
function unsubscribe({ message }: OpenedMessage): Feedback | undefined {
  const isUnsubscribe =
    /^\s*unsubscribe\s*$/i.test(header(message, 'subject')) &&
    /^\s*auto-(?:generated|replied)\b/i.test(header(message, 'auto-submitted'));
  const recipients = addressesIn(message.headers, 'from').slice(0, 1);
  return isUnsubscribe ? { recipients, type: 'opt-out' } : undefined;
}

function toReports(feedback: Feedback, { reported }: OpenedMessage): MailReport[] {
  const { type, mailFrom } = feedback;
  const mapping = mappingFor(FEEDBACK_TYPES, type);
  const isConcealed = feedback.isAmbiguous && mapping({}).effect === 'suppress';
  const recipients = feedback.recipients.length > 0 ? feedback.recipients : [null];
  return recipients.map((recipient) => ({
    recipient,
    ...(isConcealed ? ONE_OF_SEVERAL_COMPLAINED : mapping)({}),
    bounceType: null,
    status: null,
    diagnostic: null,
    reported: mailFrom ? { ...reported, returnPaths: [...reported.returnPaths, mailFrom] } : reported,
  }));
}
