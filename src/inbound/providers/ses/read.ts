import { elementsAt, isObject, requireObject, stringAt, stringsAt, valueAt } from '../../parsing/json.js';
import { contentKey, deliveryEvent, eventKey, type DeliveryEvent } from '../../parsing/delivery-event.js';
import { MalformedBodyError } from '../../parsing/errors.js';
import { addressOf } from '../../parsing/mailbox.js';
import { fromIso } from '../../parsing/timestamp.js';
import { EMAIL_ID_FIELD } from '../source-option.js';
import type { SourceSettings } from '../provider.js';
import { ignore } from '../../policy/mapping.js';
import { emailIdOf } from '../../parsing/email-id.js';
import { notificationIn, notificationType } from '../../parsing/ses-notification.js';
import { recipientReports, type RecipientReport } from './reports.js';

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
      emailId: emailIdOf({ own: ownId(notification, source), provider: 'ses', idKind: 'messageId', id }),
      rawMessageId: id ?? null,
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
  const field = EMAIL_ID_FIELD.of(options);
  if (field === undefined) {
    return undefined;
  }
  const headers = elementsAt(notification, 'mail', 'headers').filter(isObject);
  const header = headers.find((entry) => stringAt(entry, 'name')?.toLowerCase() === field.toLowerCase());
  return stringsAt(valueAt(notification, 'mail', 'tags'), field)[0] ?? stringAt(header, 'value');
}
