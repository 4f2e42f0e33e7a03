import { InvalidEmailAddress, parseEmailAddress } from '../../../email-address/email-address.js';
import { requireFew } from '../../parsing/batch.js';
import { booleanAt, elementsAt, stringAt, stringsAt } from '../../parsing/json.js';
import { addressOf } from '../../parsing/mailbox.js';
import { ruleFor, type Bounce, type Rule } from '../../policy/mapping.js';
import {
  BOUNCES,
  COMPLAINT_ALREADY_LISTED,
  COMPLAINT_OF_ONE_OF_SEVERAL,
  COMPLAINTS,
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
  rule: Rule;
  /** ISO 8601. */
  at?: string | undefined;
}

const ON_ACCOUNT_SUPPRESSION_LIST = 'OnAccountSuppressionList';

/** One finding for each recipient that the notification is about: never all of `mail.destination`. */
export function findingsOf(notification: string, message: unknown): Finding[] {
  const findings = read(notification, message);
  return findings.length > 0 ? findings : [{ recipient: undefined, rule: ruleFor(new Map(), notification) }];
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
  const rule = ruleFor(BOUNCES, `${type}/${subType}`.toLowerCase());
  return requireFew(elementsAt(message, 'bounce', 'bouncedRecipients')).map((recipient) => {
    const status = stringAt(recipient, 'status')?.trim();
    const isDelayed = stringAt(recipient, 'action') === 'delayed' || status?.startsWith('4.');
    const reported = stringAt(recipient, 'emailAddress');
    return {
      recipient: mailedAddress(reported, message),
      reported,
      status,
      diagnostic: stringAt(recipient, 'diagnosticCode'),
      rule: isDelayed && type.toLowerCase() === 'permanent' ? DELAYED : rule,
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
  const rule = complaintRule(message);
  const isAmbiguous = new Set(addresses.map(normalForm)).size > 1 && rule({}).effect === 'suppress';
  return addresses.map((recipient) => ({
    recipient,
    rule: isAmbiguous ? COMPLAINT_OF_ONE_OF_SEVERAL : rule,
    at: stringAt(message, 'complaint', 'timestamp'),
  }));
}

function complaintRule(message: unknown): Rule {
  return stringAt(message, 'complaint', 'complaintSubType') === ON_ACCOUNT_SUPPRESSION_LIST
    ? COMPLAINT_ALREADY_LISTED
    : ruleFor(COMPLAINTS, stringAt(message, 'complaint', 'complaintFeedbackType')?.toLowerCase() ?? '');
}

function normalForm(mailbox: string | undefined): string | undefined {
  const address = parseEmailAddress(mailbox === undefined ? undefined : addressOf(mailbox));
  return address instanceof InvalidEmailAddress ? mailbox : address;
}

function deliveries(message: unknown): Finding[] {
  const at = stringAt(message, 'delivery', 'timestamp');
  return requireFew(stringsAt(message, 'delivery', 'recipients')).map((recipient) => ({
    recipient,
    rule: DELIVERED,
    at,
  }));
}

/** Such mail has one recipient: https://docs.aws.amazon.com/ses/latest/dg/sending-email-list-management.html */
function subscription(message: unknown): Finding {
  const destination = stringsAt(message, 'mail', 'destination');
  return {
    recipient: destination.length === 1 ? destination[0] : undefined,
    rule: subscriptionRule(message),
    at: stringAt(message, 'subscription', 'timestamp'),
  };
}

function subscriptionRule(message: unknown): Rule {
  const before = booleanAt(message, 'subscription', 'oldTopicPreferences', 'unsubscribeAll');
  const now = booleanAt(message, 'subscription', 'newTopicPreferences', 'unsubscribeAll');
  if (now === true) {
    return UNSUBSCRIBED_FROM_ALL;
  }
  return before === true && now === false ? RESUBSCRIBED : TOPIC_CHANGED;
}
