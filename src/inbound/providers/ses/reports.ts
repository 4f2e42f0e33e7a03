import { unitsOf, type TopicUnit } from '../../parsing/delivery-event.js';
import { booleanAt, elementsAt, requireFew, stringAt, stringsAt } from '../../parsing/json.js';
import {
  bouncedRecipients,
  complaintIn,
  isAmbiguous,
  notificationType,
  type SesComplaint,
} from '../../parsing/ses-notification.js';
import type { Bounce } from '../../policy/classify.js';
import { FEEDBACK_TYPES, mappingFor, ONE_OF_SEVERAL_COMPLAINED, type Mapping } from '../../policy/mapping.js';
import {
  BOUNCES,
  COMPLAINT_ALREADY_LISTED,
  DELAYED,
  DELIVERED,
  RESUBSCRIBED,
  TOPIC_CHANGED,
  TOPIC_JOINED,
  TOPIC_LEFT,
  UNSUBSCRIBED_FROM_ALL,
} from './mapping.js';

export interface RecipientReport extends Bounce {
  recipient: string | undefined;
  /** The address in the notification, where `recipient` is a different one. */
  reported?: string | undefined;
  mapping: Mapping;
  /** ISO 8601. */
  timestamp?: string | undefined;
  /** What the recipient left or joined. */
  units?: TopicUnit[];
}

const ON_ACCOUNT_SUPPRESSION_LIST = 'OnAccountSuppressionList';

/** One report for each recipient that the notification is about: never all of `mail.destination`. */
export function recipientReports(notification: unknown): RecipientReport[] {
  const type = notificationType(notification);
  const reports = readReports(type, notification);
  return reports.length > 0 ? reports : [{ recipient: undefined, mapping: mappingFor(new Map(), type) }];
}

function readReports(type: string | undefined, notification: unknown): RecipientReport[] {
  switch (type) {
    case 'Bounce':
      return bounces(notification);
    case 'Complaint':
      return complaints(notification);
    case 'Delivery':
      return deliveries(notification);
    case 'Subscription':
      return subscriptions(notification);
    default:
      return [];
  }
}

function bounces(notification: unknown): RecipientReport[] {
  const type = stringAt(notification, 'bounce', 'bounceType')?.toLowerCase() ?? '';
  const subType = stringAt(notification, 'bounce', 'bounceSubType')?.toLowerCase() ?? '';
  const mapping = mappingFor(BOUNCES, `${type}/${subType}`);
  const timestamp = stringAt(notification, 'bounce', 'timestamp');
  return requireFew(bouncedRecipients(notification)).map(({ action, ...recipient }) => {
    const isDelayed = action === 'delayed' || recipient.status?.startsWith('4.');
    return { ...recipient, mapping: isDelayed && type === 'permanent' ? DELAYED : mapping, timestamp };
  });
}

function complaints(notification: unknown): RecipientReport[] {
  const complaint = complaintIn(notification);
  const recipients = requireFew(complaint.recipients);
  const mapping = complaintMapping(notification, complaint);
  const timestamp = stringAt(notification, 'complaint', 'timestamp');
  return recipients.map((recipient) => ({ recipient, mapping, timestamp }));
}

function complaintMapping(notification: unknown, complaint: SesComplaint): Mapping {
  const isListed = stringAt(notification, 'complaint', 'complaintSubType') === ON_ACCOUNT_SUPPRESSION_LIST;
  const mapping = isListed ? COMPLAINT_ALREADY_LISTED : mappingFor(FEEDBACK_TYPES, complaint.feedbackType);
  return mapping({}).effect === 'suppress' && isAmbiguous(complaint) ? ONE_OF_SEVERAL_COMPLAINED : mapping;
}

function deliveries(notification: unknown): RecipientReport[] {
  const timestamp = stringAt(notification, 'delivery', 'timestamp');
  return requireFew(stringsAt(notification, 'delivery', 'recipients')).map((recipient) => ({
    recipient,
    mapping: DELIVERED,
    timestamp,
  }));
}

/**
 * Such mail has one recipient: https://docs.aws.amazon.com/ses/latest/dg/sending-email-list-management.html. One report for
 * the whole contact list if that changed, or else one for each topic that did.
 */
function subscriptions(notification: unknown): RecipientReport[] {
  const destination = stringsAt(notification, 'mail', 'destination');
  const recipient = destination.length === 1 ? destination[0] : undefined;
  const timestamp = stringAt(notification, 'subscription', 'timestamp');
  const wholeList = listMapping(notification);
  const topics = changedTopics(notification);
  if (wholeList || topics.length === 0) {
    const units = unitsOf('list', stringAt(notification, 'subscription', 'contactList'));
    return [{ recipient, mapping: wholeList ?? TOPIC_CHANGED, timestamp, units }];
  }
  return topics.map(({ name, isOptOut }) => ({
    recipient,
    reported: `${recipient} ${name}`,
    mapping: isOptOut ? TOPIC_LEFT : TOPIC_JOINED,
    timestamp,
    units: unitsOf('topic', name),
  }));
}

function listMapping(notification: unknown): Mapping | undefined {
  const before = booleanAt(notification, 'subscription', 'oldTopicPreferences', 'unsubscribeAll');
  const now = booleanAt(notification, 'subscription', 'newTopicPreferences', 'unsubscribeAll');
  if (now === true) {
    return UNSUBSCRIBED_FROM_ALL;
  }
  return before === true && now === false ? RESUBSCRIBED : undefined;
}

function changedTopics(notification: unknown): { name: string; isOptOut: boolean }[] {
  const [before, now] = ['oldTopicPreferences', 'newTopicPreferences'].map((preferences) => {
    const statuses = elementsAt(notification, 'subscription', preferences, 'topicSubscriptionStatus');
    return new Map(
      requireFew(statuses).map((status) => [
        stringAt(status, 'topicName'),
        stringAt(status, 'subscriptionStatus'),
      ]),
    );
  });
  return [...now!].flatMap(([name, status]) =>
    name && (status === 'OptOut' || status === 'OptIn') && status !== before!.get(name)
      ? [{ name, isOptOut: status === 'OptOut' }]
      : [],
  );
}
