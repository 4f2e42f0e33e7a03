import {
  deliveryEvent,
  partsKey,
  unitsOf,
  unreadableEvent,
  type DeliveryEvent,
} from '../../parsing/delivery-event.js';
import { fieldOfText, emailIdOf } from '../../parsing/email-id.js';
import { booleanAt, numberAt, requireOneOrMany, stringAt, textAt, valueAt } from '../../parsing/json.js';
import { fromEpochSeconds } from '../../parsing/timestamp.js';
import { mappingFor, type Mapping } from '../../policy/mapping.js';
import type { SourceSettings } from '../provider.js';
import { EMAIL_ID_FIELD, listOption, parseNumber, type SourceOptions } from '../source-option.js';
import { BLOCKS, EVENTS, HARD_BOUNCES, OTHER_LIST, SOFT_BOUNCES } from './mapping.js';

/** Without it, every contact list stands for all mail. */
export const CONTACT_LISTS = listOption({
  name: 'contactLists',
  flag: '--contact-list <number>',
  description: 'Contact list that stands for all mail',
  parse: parseNumber,
});

/** These fields identify an event, which has no id. */
const KEY_FIELDS = ['event', 'time', 'Message_GUID', 'MessageID', 'mj_message_id', 'email', 'mj_list_id'];
/** The fields that a sender can attach to an email. */
const CUSTOM_ID = 'CustomID';
const PAYLOAD = 'Payload';

/** One event, or an array of them if events are grouped. */
export function readMailjet(body: unknown, source: SourceSettings): DeliveryEvent[] {
  return requireOneOrMany(body).map((event) => readEvent(event, source));
}

function readEvent(event: unknown, { options }: SourceSettings): DeliveryEvent {
  const type = stringAt(event, 'event');
  if (type === undefined) {
    return unreadableEvent(event);
  }
  const field = EMAIL_ID_FIELD.of(options);
  const guid = stringAt(event, 'Message_GUID') || undefined;
  const messageId = guid ?? numericId(event);
  const diagnostic =
    [stringAt(event, 'error'), stringAt(event, 'comment')].filter(Boolean).join(': ') || null;
  return deliveryEvent({
    key: partsKey(
      event,
      KEY_FIELDS.map((name) => valueAt(event, name)),
      textAt(event, 'time'),
    ),
    recipient: stringAt(event, 'email'),
    emailId: emailIdOf({
      own: field && ownId(event, field),
      provider: 'mailjet',
      idKind: guid ? 'Message_GUID' : 'MessageID',
      id: messageId,
    }),
    rawMessageId: messageId ?? null,
    occurredAt: fromEpochSeconds(numberAt(event, 'time')),
    diagnostic,
    units: type === 'unsub' ? unitsOf('list', listOf(event)) : [],
    ...mappingOf(type, event, options)({ diagnostic }),
  });
}

/** MessageID has 64 bits. JSON.parse rounds numbers above 2^53, so they may identify another email. */
function numericId(event: unknown): string | undefined {
  const number = numberAt(event, 'MessageID');
  return stringAt(event, 'mj_message_id') ?? (Number.isSafeInteger(number) ? String(number) : undefined);
}

function ownId(event: unknown, field: string): string | undefined {
  return fieldOfText(textAt(event, field === CUSTOM_ID ? CUSTOM_ID : PAYLOAD), field);
}

function mappingOf(type: string, event: unknown, options: SourceOptions): Mapping {
  const error = stringAt(event, 'error')?.toLowerCase();
  switch (type) {
    case 'bounce':
      return mappingFor(booleanAt(event, 'hard_bounce') === true ? HARD_BOUNCES : SOFT_BOUNCES, error);
    case 'blocked':
      return mappingFor(BLOCKS, error);
    case 'unsub':
      return isFromAllMail(event, options) ? mappingFor(EVENTS, type) : OTHER_LIST;
    default:
      return mappingFor(EVENTS, type);
  }
}

/**
 * An unsubscribe is from one contact list, or from none (0) if the mail went to no list. Mailjet has none from all mail, so
 * each counts as one, unless the source names the lists that stand for all mail.
 */
function isFromAllMail(event: unknown, options: SourceOptions): boolean {
  const list = listOf(event);
  return list === undefined || (CONTACT_LISTS.of(options)?.includes(Number(list)) ?? true);
}

function listOf(event: unknown): string | undefined {
  const list = textAt(event, 'mj_list_id') ?? '0';
  return Number(list) === 0 ? undefined : list;
}
