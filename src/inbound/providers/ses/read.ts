import type { DeliveryEvent, TopicUnit } from '../../parsing/delivery-event.js';
import {
  MalformedBodyError,
  booleanAt,
  elementsAt,
  isObject,
  requireFew,
  requireObject,
  stringAt,
  stringsAt,
  valueAt,
} from '../../parsing/json.js';
import { addressOf, contentKey, deliveryEvent, eventKey, unitsOf } from '../../parsing/report.js';
import {
  bouncedRecipients,
  complaintIn,
  isAmbiguous,
  notificationIn,
  notificationType,
  type SesComplaint,
} from '../../parsing/ses-notification.js';
import { fromIso } from '../../parsing/timestamp.js';
import type { Bounce } from '../../policy/classify.js';
import {
  FEEDBACK_TYPES,
  ignore,
  mappingFor,
  ONE_OF_SEVERAL_COMPLAINED,
  type Mapping,
} from '../../policy/mapping.js';
import type { SourceSettings } from '../provider.js';
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

/** https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html, within the envelope of Amazon SNS. */
export function readSes(body: unknown, source: SourceSettings): DeliveryEvent[] {
  const type = stringAt(requireObject(body), 'Type');
  if (type === undefined) {
    throw new MalformedBodyError('it must have a Type');
  }
  const notification = notificationIn(body);
  const key = stringAt(body, 'MessageId') ?? contentKey(body);
  const reports =
    type === 'Notification' && notificationType(notification) !== undefined
      ? recipientReports(notification)
      : [notAboutMail(type)];
  return reports.map(({ recipient, reported, status, diagnostic, mapping, timestamp, units }) => {
    const mailbox = recipient === undefined ? undefined : addressOf(recipient);
    const id = stringAt(notification, 'mail', 'messageId');
    return deliveryEvent({
      key: eventKey(key, reported ?? mailbox ?? ''),
      recipient: mailbox,
      mail: { own: ownId(notification, source), provider: 'ses', idKind: 'messageId', id },
      occurredAt: fromIso(timestamp) ?? fromIso(stringAt(body, 'Timestamp')),
      status: status ?? null,
      diagnostic: diagnostic ?? null,
      units,
      ...mapping({ status, diagnostic }),
    });
  });
}

function notAboutMail(type: string): RecipientReport {
  const reason =
    type === 'Notification' ? 'The topic says something else.' : 'The subscription to the topic changed.';
  return { recipient: undefined, mapping: ignore('unknown', reason) };
}

/** From a message tag, whose values are lists, or from a header field of the email. */
function ownId(notification: unknown, { options }: SourceSettings): string | undefined {
  const field = options.emailIdField;
  if (field === undefined) {
    return undefined;
  }
  const headers = elementsAt(notification, 'mail', 'headers').filter(isObject);
  const header = headers.find((entry) => stringAt(entry, 'name')?.toLowerCase() === field.toLowerCase());
  return stringsAt(valueAt(notification, 'mail', 'tags'), field)[0] ?? stringAt(header, 'value');
}

export interface RecipientReport extends Bounce {
  recipient: string | undefined;
  /** The address in the notification, if it differs from `recipient`. */
  reported?: string | undefined;
  mapping: Mapping;
  /** ISO 8601. */
  timestamp?: string | undefined;
  /** What the recipient left or joined. */
  units?: TopicUnit[];
}

const ON_SUPPRESSION_LIST = /^On(?:Account|Tenant)SuppressionList$/;

const READERS = new Map<string | undefined, (notification: unknown) => RecipientReport[]>([
  ['Bounce', bounces],
  ['Complaint', complaints],
  ['Delivery', deliveries],
  ['Subscription', subscriptions],
]);

/** One report for each recipient that the notification is about: never all of `mail.destination`. */
export function recipientReports(notification: unknown): RecipientReport[] {
  const type = notificationType(notification);
  const reports = READERS.get(type)?.(notification) ?? [];
  return reports.length > 0 ? reports : [{ recipient: undefined, mapping: mappingFor(new Map(), type) }];
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
  const isListed = ON_SUPPRESSION_LIST.test(stringAt(notification, 'complaint', 'complaintSubType') ?? '');
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
 * Such mail has one recipient: https://docs.aws.amazon.com/ses/latest/dg/sending-email-list-management.html. Returns a report
 * for the whole contact list if its subscription changed, or if no topic did, and one for each topic that changed.
 */
function subscriptions(notification: unknown): RecipientReport[] {
  const destination = stringsAt(notification, 'mail', 'destination');
  const recipient = destination.length === 1 ? destination[0] : undefined;
  const timestamp = stringAt(notification, 'subscription', 'timestamp');
  const wholeList = listMapping(notification);
  const topics = wholeList === UNSUBSCRIBED_FROM_ALL ? [] : changedTopics(notification);
  const ofList = wholeList ?? (topics.length === 0 ? TOPIC_CHANGED : undefined);
  const units = unitsOf('list', stringAt(notification, 'subscription', 'contactList'));
  return [
    ...(ofList ? [{ recipient, mapping: ofList, timestamp, units }] : []),
    ...topics.map(({ name, isOptOut }) => ({
      recipient,
      reported: `${recipient} ${name}`,
      mapping: isOptOut ? TOPIC_LEFT : TOPIC_JOINED,
      timestamp,
      units: unitsOf('topic', name),
    })),
  ];
}

function listMapping(notification: unknown): Mapping | undefined {
  const now = booleanAt(notification, 'subscription', 'newTopicPreferences', 'unsubscribeAll');
  if (now === true) {
    return UNSUBSCRIBED_FROM_ALL;
  }
  return wasUnsubscribedFromAll(notification) && now === false ? RESUBSCRIBED : undefined;
}

function wasUnsubscribedFromAll(notification: unknown): boolean {
  return booleanAt(notification, 'subscription', 'oldTopicPreferences', 'unsubscribeAll') === true;
}

/** An unsubscribe from all topics overrides the choices about single ones, so all of them count as changed when it ends. */
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
  const known = wasUnsubscribedFromAll(notification) ? new Map() : before!;
  return [...now!].flatMap(([name, status]) =>
    name && (status === 'OptOut' || status === 'OptIn') && status !== known.get(name)
      ? [{ name, isOptOut: status === 'OptOut' }]
      : [],
  );
}
