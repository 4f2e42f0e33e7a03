import { requireFew } from '../../parsing/batch.js';
import { booleanAt, elementsAt, stringAt, stringsAt } from '../../parsing/json.js';
import { unitsOf } from '../../parsing/topic-unit.js';
import type { Mapping } from '../../policy/mapping.js';
import { RESUBSCRIBED, TOPIC_CHANGED, TOPIC_JOINED, TOPIC_LEFT, UNSUBSCRIBED_FROM_ALL } from './mapping.js';
import type { RecipientReport } from './recipient-report.js';

/**
 * Such mail has one recipient: https://docs.aws.amazon.com/ses/latest/dg/sending-email-list-management.html. One report for
 * the whole contact list if that changed, or else one for each topic that did.
 */
export function subscriptions(notification: unknown): RecipientReport[] {
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
