import type { IncomingHttpHeaders } from 'node:http';
import { requireObject } from '../../parsing/batch.js';
import { contentKey, deliveryEvent, eventKey, type DeliveryEvent } from '../../parsing/delivery-event.js';
import { MalformedBodyError } from '../../parsing/errors.js';
import { elementsAt, isObject, parseJsonText, stringAt, stringsAt, valueAt } from '../../parsing/json.js';
import { addressOf } from '../../parsing/mailbox.js';
import { fromIso } from '../../parsing/timestamp.js';
import type { SourceSettings } from '../provider.js';
import { ignore } from '../../policy/mapping.js';
import { emailIdOf } from '../../parsing/email-id.js';
import { findingsOf, type Finding } from './findings.js';

/** https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html, within the envelope of Amazon SNS. */
export function readSes(
  body: unknown,
  _headers: IncomingHttpHeaders,
  source: SourceSettings,
): DeliveryEvent[] {
  const type = stringAt(requireObject(body), 'Type');
  if (type === undefined) {
    throw new MalformedBodyError('it must have a Type');
  }
  const message = messageOf(body);
  const key = stringAt(body, 'MessageId') ?? contentKey(body);
  const notification = stringAt(message, 'notificationType') ?? stringAt(message, 'eventType');
  const findings =
    type === 'Notification' && notification !== undefined
      ? findingsOf(notification, message)
      : [notAboutMail(type)];
  return findings.map(({ recipient, reported, status, diagnostic, mapping, at }) => {
    const mailbox = recipient === undefined ? undefined : addressOf(recipient);
    const id = stringAt(message, 'mail', 'messageId');
    return deliveryEvent({
      key: eventKey(key, reported ?? mailbox ?? ''),
      recipient: mailbox,
      emailId: emailIdOf({ own: ownId(message, source), provider: 'ses', idKind: 'messageId', id }),
      rawMessageId: id ?? null,
      occurredAt: fromIso(at) ?? fromIso(stringAt(body, 'Timestamp')),
      status: status ?? null,
      diagnostic: diagnostic ?? null,
      ...mapping({ status, diagnostic }),
    });
  });
}

/** The notification. After a subscription there is one in plain words, which is nothing to us. */
function messageOf(body: unknown): unknown {
  try {
    return parseJsonText(stringAt(body, 'Message') ?? '');
  } catch {
    return undefined;
  }
}

function notAboutMail(type: string): Finding {
  const reason =
    type === 'Notification' ? 'The topic says something else.' : 'The subscription to the topic changed.';
  return { recipient: undefined, mapping: ignore('unknown', reason) };
}

/** From a message tag, whose values are lists, or from a header of the mail. */
function ownId(message: unknown, { options }: SourceSettings): string | undefined {
  const field = options.emailIdField;
  if (field === undefined) {
    return undefined;
  }
  const headers = elementsAt(message, 'mail', 'headers').filter(isObject);
  const header = headers.find((entry) => stringAt(entry, 'name')?.toLowerCase() === field.toLowerCase());
  return stringsAt(valueAt(message, 'mail', 'tags'), field)[0] ?? stringAt(header, 'value');
}
