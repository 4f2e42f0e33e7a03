import {
  InvalidEmailAddress,
  parseEmailAddress,
  type EmailAddress,
} from '../../email-address/email-address.js';
import { elementsAt, parseJsonText, stringAt, stringsAt } from './json.js';
import { addressOf } from './report.js';
import { mailedFromOutside } from './receiver-network.js';

/** https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html#bounced-recipients */
export interface SesBouncedRecipient {
  recipient: string | undefined;
  /** The address in the notification, which differs from the recipient if the mail was forwarded. */
  reported: string | undefined;
  status: string | undefined;
  diagnostic: string | undefined;
  /** `failed` or `delayed`. */
  action: string | undefined;
}

/** https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html#complaint-object */
export interface SesComplaint {
  recipients: (string | undefined)[];
  /** RFC 5965, in lower case; empty where the report has none. */
  feedbackType: string;
}

/** Amazon SES sends a message to at most 50 recipients. */
const MAX_DESTINATIONS = 50;

/** The notification in an envelope of Amazon SNS; undefined where the topic carries anything else. */
export function notificationIn(envelope: unknown): unknown {
  try {
    return parseJsonText(stringAt(envelope, 'Message') ?? '');
  } catch {
    return undefined;
  }
}

/** `Bounce`, `Complaint` and so on: notifications and events of a configuration set name it differently. */
export function notificationType(notification: unknown): string | undefined {
  return stringAt(notification, 'notificationType') ?? stringAt(notification, 'eventType');
}

/** The recipients of a bounce notification; none if it is not one. */
export function bouncedRecipients(notification: unknown): SesBouncedRecipient[] {
  const destination = stringsAt(notification, 'mail', 'destination');
  const addressing = {
    recipients: destination.slice(0, MAX_DESTINATIONS).flatMap(addressesIn),
    senders: addressesIn(stringAt(notification, 'mail', 'source')),
  };
  return elementsAt(notification, 'bounce', 'bouncedRecipients').map((recipient) => {
    const reported = stringAt(recipient, 'emailAddress');
    const [address] = addressesIn(reported);
    const isMailed = address === undefined || addressing.recipients.includes(address);
    const outside = isMailed ? undefined : mailedFromOutside(address, false, addressing);
    return {
      recipient: reported !== undefined && destination.length === 1 ? destination[0] : (outside ?? reported),
      reported,
      status: stringAt(recipient, 'status')?.trim(),
      diagnostic: stringAt(recipient, 'diagnosticCode'),
      action: stringAt(recipient, 'action'),
    };
  });
}

/** The complaint of a notification; without recipients if it is not one. */
export function complaintIn(notification: unknown): SesComplaint {
  return {
    recipients: elementsAt(notification, 'complaint', 'complainedRecipients').map((recipient) =>
      stringAt(recipient, 'emailAddress'),
    ),
    feedbackType: stringAt(notification, 'complaint', 'complaintFeedbackType')?.toLowerCase() ?? '',
  };
}

/** Whether the report conceals which of several recipients complained. */
export function isAmbiguous({ recipients }: SesComplaint): boolean {
  return new Set(recipients.map(normalForm)).size > 1;
}

function normalForm(mailbox: string | undefined): string | undefined {
  return addressesIn(mailbox)[0] ?? mailbox;
}

/** None if the mailbox is not valid. */
function addressesIn(mailbox: string | undefined): EmailAddress[] {
  const address = parseEmailAddress(mailbox === undefined ? undefined : addressOf(mailbox));
  return address instanceof InvalidEmailAddress ? [] : [address];
}
