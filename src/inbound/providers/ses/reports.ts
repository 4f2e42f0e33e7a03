import { requireFew } from '../../parsing/batch.js';
import { stringAt, stringsAt } from '../../parsing/json.js';
import {
  bouncedRecipients,
  complaintIn,
  isAmbiguous,
  notificationType,
  type SesComplaint,
} from '../../parsing/ses-notification.js';
import { FEEDBACK_TYPES, ONE_OF_SEVERAL_COMPLAINED } from '../../policy/feedback.js';
import { mappingFor, type Mapping } from '../../policy/mapping.js';
import { BOUNCES, COMPLAINT_ALREADY_LISTED, DELAYED, DELIVERED } from './mapping.js';
import type { RecipientReport } from './recipient-report.js';
import { subscriptions } from './subscriptions.js';

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
