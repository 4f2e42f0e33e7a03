import { InvalidEmailAddress, parseEmailAddress } from '../../../email-address/email-address.js';
import { requireFew } from '../../parsing/batch.js';
import { booleanAt, elementsAt, stringAt, stringsAt } from '../../parsing/json.js';
import { addressOf } from '../../parsing/mailbox.js';
import type { Bounce } from '../../policy/classify.js';
import { FEEDBACK_TYPES } from '../../policy/feedback.js';
import { mappingFor, type Mapping } from '../../policy/mapping.js';
import {
  BOUNCES,
  COMPLAINT_ALREADY_LISTED,
  COMPLAINT_OF_ONE_OF_SEVERAL,
  DELAYED,
  DELIVERED,
  RESUBSCRIBED,
  TOPIC_CHANGED,
  UNSUBSCRIBED_FROM_ALL,
} from './mapping.js';

/** What a notification says about one recipient. */
export interface Finding extends Bounce {
  recipient: string | undefined;
  /** The address as the notification has it, where `recipient` is another. */
  reported?: string | undefined;
  mapping: Mapping;
  /** ISO 8601. */
  at?: string | undefined;
}

const ON_ACCOUNT_SUPPRESSION_LIST = 'OnAccountSuppressionList';

/** One finding for each recipient that the notification is about: never all of `mail.destination`. */
export function findingsOf(notification: string, message: unknown): Finding[] {
  const findings = read(notification, message);
  return findings.length > 0
    ? findings
    : [{ recipient: undefined, mapping: mappingFor(new Map(), notification) }];
}

function read(notification: string, message: unknown): Finding[] {
  switch (notification) {
    case 'Bounce':
      return bounces(message);
    case 'Complaint':
      return complaints(message);
    case 'Delivery':
      return deliveries(message);
    case 'Subscription':
      return [subscription(message)];
    default:
      return [];
  }
}

function bounces(message: unknown): Finding[] {
  const type = stringAt(message, 'bounce', 'bounceType') ?? '';
  const subType = stringAt(message, 'bounce', 'bounceSubType') ?? '';
  const mapping = mappingFor(BOUNCES, `${type}/${subType}`.toLowerCase());
  return requireFew(elementsAt(message, 'bounce', 'bouncedRecipients')).map((recipient) => {
    const status = stringAt(recipient, 'status')?.trim();
    const isDelayed = stringAt(recipient, 'action') === 'delayed' || status?.startsWith('4.');
    const reported = stringAt(recipient, 'emailAddress');
    return {
      recipient: mailedAddress(reported, message),
      reported,
      status,
      diagnostic: stringAt(recipient, 'diagnosticCode'),
      mapping: isDelayed && type.toLowerCase() === 'permanent' ? DELAYED : mapping,
      at: stringAt(message, 'bounce', 'timestamp'),
    };
  });
}

/**
 * The server that sent the bounce may name the address that it forwards to. When the mail went to one address, and
 * this is another, the one that was mailed is meant.
 */
function mailedAddress(reported: string | undefined, message: unknown): string | undefined {
  const destination = stringsAt(message, 'mail', 'destination');
  return reported !== undefined && destination.length === 1 ? destination[0] : reported;
}

function complaints(message: unknown): Finding[] {
  const recipients = requireFew(elementsAt(message, 'complaint', 'complainedRecipients'));
  const addresses = recipients.map((recipient) => stringAt(recipient, 'emailAddress'));
  const mapping = complaintMapping(message);
  const isAmbiguous = new Set(addresses.map(normalForm)).size > 1 && mapping({}).effect === 'suppress';
  return addresses.map((recipient) => ({
    recipient,
    mapping: isAmbiguous ? COMPLAINT_OF_ONE_OF_SEVERAL : mapping,
    at: stringAt(message, 'complaint', 'timestamp'),
  }));
}

function complaintMapping(message: unknown): Mapping {
  return stringAt(message, 'complaint', 'complaintSubType') === ON_ACCOUNT_SUPPRESSION_LIST
    ? COMPLAINT_ALREADY_LISTED
    : mappingFor(
        FEEDBACK_TYPES,
        stringAt(message, 'complaint', 'complaintFeedbackType')?.toLowerCase() ?? '',
      );
}

function normalForm(mailbox: string | undefined): string | undefined {
  const address = parseEmailAddress(mailbox === undefined ? undefined : addressOf(mailbox));
  return address instanceof InvalidEmailAddress ? mailbox : address;
}

function deliveries(message: unknown): Finding[] {
  const at = stringAt(message, 'delivery', 'timestamp');
  return requireFew(stringsAt(message, 'delivery', 'recipients')).map((recipient) => ({
    recipient,
    mapping: DELIVERED,
    at,
  }));
}

/** Such mail has one recipient: https://docs.aws.amazon.com/ses/latest/dg/sending-email-list-management.html */
function subscription(message: unknown): Finding {
  const destination = stringsAt(message, 'mail', 'destination');
  return {
    recipient: destination.length === 1 ? destination[0] : undefined,
    mapping: subscriptionMapping(message),
    at: stringAt(message, 'subscription', 'timestamp'),
  };
}

function subscriptionMapping(message: unknown): Mapping {
  const before = booleanAt(message, 'subscription', 'oldTopicPreferences', 'unsubscribeAll');
  const now = booleanAt(message, 'subscription', 'newTopicPreferences', 'unsubscribeAll');
  if (now === true) {
    return UNSUBSCRIBED_FROM_ALL;
  }
  return before === true && now === false ? RESUBSCRIBED : TOPIC_CHANGED;
}
