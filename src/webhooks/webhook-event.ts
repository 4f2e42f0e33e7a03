import { createEvent, type EventType, type WebhookEvent } from '../announcements/events.js';
import { FeedChangeDto } from '../feed/changes.dto.js';
import type { FeedChange } from '../feed/feed-change.js';
import { SuppressionDto } from '../suppressions/dto/suppression.dto.js';
import type { FoundSuppression } from '../suppressions/suppression-lookup.js';

/** Returns the events that announce a change, in Resend's format first. */
export function eventsOf(change: FeedChange): WebhookEvent[] {
  if (change.type === 'contact.erased') {
    const erased = eventOf('contact.erased', change, new FeedChangeDto(change));
    return change.removed
      ? [eventOf('suppression.removed', change, toSuppressionData(change.removed)), erased]
      : [erased];
  }
  if (change.topic !== null) {
    return [
      eventOf('contact.topics.updated', change, toContactTopicsData(change.email, change.topic)),
      eventOf('preference.changed', change, new FeedChangeDto(change)),
    ];
  }
  const changed = eventOf('suppression.changed', change, new FeedChangeDto(change));
  const record = change.type === 'suppression.added' ? change.suppression : change.removed;
  return change.type === 'suppression.changed' || record === null
    ? [changed]
    : [eventOf(change.type, change, toSuppressionData(record)), changed];
}

function eventOf(type: EventType, { id, createdAt }: FeedChange, data: object): WebhookEvent {
  return createEvent(type, id, new Date(createdAt), data);
}

/** The data in Resend's format. An update of several topics is a separate change in the feed for each of them. */
function toContactTopicsData(email: string, { id, subscription }: NonNullable<FeedChange['topic']>): object {
  return { email, topics: [{ id, subscription }] };
}

/** The data in Resend's format. */
function toSuppressionData(record: FoundSuppression): object {
  const { object: _object, ...data } = new SuppressionDto(record);
  return data;
}
