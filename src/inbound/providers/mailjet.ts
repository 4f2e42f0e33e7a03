import { Invalid } from '../../validation/parsers.js';
import type { DeliveryEvent } from '../parsing/delivery-event.js';
import { booleanAt, numberAt, requireOneOrMany, stringAt, textAt, valueAt } from '../parsing/json.js';
import { deliveryEvent, fieldOfText, partsKey, unitsOf, unreadableEvent } from '../parsing/report.js';
import { fromEpochSeconds } from '../parsing/timestamp.js';
import {
  ignore,
  mappingFor,
  optOut,
  softByDiagnostic,
  success,
  suppress,
  suppressIfAbsent,
  watch,
  type Mapping,
} from '../policy/mapping.js';
import { CREDENTIAL, verifyCredential } from './proof.js';
import {
  EMAIL_ID_FIELD,
  type Provider,
  type SourceOption,
  type SourceOptions,
  type SourceSettings,
} from './provider.js';

const BLOCKED = { name: "Mailjet's list of blocked addresses", path: 'a ticket to the support of Mailjet' };

/** Without this option, every contact list stands for all mail. */
const CONTACT_LISTS: SourceOption = {
  name: 'contactLists',
  flag: '--contact-list <number>',
  description: 'Contact list that stands for all mail',
  isList: true,
  parse: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : new Invalid('must be a number')),
};

/** Mailjet, by its Event API, which is not signed: https://dev.mailjet.com/email/guides/webhooks/ */
export const mailjet = {
  name: 'mailjet',
  secrets: CREDENTIAL,
  options: [EMAIL_ID_FIELD, CONTACT_LISTS],
  units: ['list'],
  setup: [
    'In Mailjet, open Account settings > Event notifications (webhooks) and set this URL for the events bounce, blocked, spam, unsub and sent.',
    'Put the username and the password of this source into the URL.',
    'Select "Group events", so that many events arrive in one request.',
  ],
  suppressionLists: {
    bounce: BLOCKED,
    complaint: BLOCKED,
    unsubscribe: { name: "Mailjet's contact list", path: 'Contacts > the list > the contact' },
    manual: { name: "Mailjet's exclusion list", path: 'Contacts > Exclusion list' },
  },
  verify: verifyCredential,
  read: readMailjet,
} as const satisfies Provider;

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
  const field = options.emailIdField;
  const own = field && ownId(event, field);
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
    mail: { own, provider: 'mailjet', idKind: guid ? 'Message_GUID' : 'MessageID', id: messageId },
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
 * An unsubscribe is from one contact list, or from none (0) if the mail was not sent to a list. Mailjet has no unsubscribe from
 * all mail, so each unsubscribe counts as one, unless the source names the lists that stand for all mail.
 */
function isFromAllMail(event: unknown, options: SourceOptions): boolean {
  const list = listOf(event);
  return list === undefined || (options.contactLists?.includes(Number(list)) ?? true);
}

function listOf(event: unknown): string | undefined {
  const list = textAt(event, 'mj_list_id') ?? '0';
  return Number(list) === 0 ? undefined : list;
}

/** https://dev.mailjet.com/email/guides/webhooks/ */
export const EVENTS: ReadonlyMap<string, Mapping> = new Map([
  ['spam', suppress('complaint', 'The recipient marked the message as spam.')],
  ['unsub', suppress('unsubscribe', 'The recipient unsubscribed.')],
  ['sent', success('delivered', "The recipient's server accepted the message.")],
]);

/** `unsub` from a contact list that does not stand for all mail. */
export const OTHER_LIST: Mapping = optOut('unsubscribe', 'The recipient left a contact list.');

const NOT_THE_ADDRESS = 'It is not about the address';

/** The errors that both events have: https://dev.mailjet.com/email/guides/webhooks/#possible-values-for-errors */
const OTHER_ERRORS: readonly (readonly [string, Mapping])[] = [
  ['quota exceeded', watch('bounce', 'The mailbox is full.')],
  ['greylisted', ignore('bounce', 'The message is delayed; Mailjet tries again.')],
  ['relay/access denied', ignore('bounce', 'The server does not talk to Mailjet; the address may be fine.')],
  ['sender blocked', ignore('bounce', `${NOT_THE_ADDRESS}: the sender was blocked.`)],
  ['content blocked', ignore('bounce', `${NOT_THE_ADDRESS}: the content was taken for spam.`)],
  ['policy issue', ignore('bounce', `${NOT_THE_ADDRESS}: the message was refused by policy.`)],
  ['system issue', ignore('bounce', `${NOT_THE_ADDRESS}: something went wrong at Mailjet.`)],
  ['protocol issue', ignore('bounce', `${NOT_THE_ADDRESS}: something went wrong at Mailjet.`)],
  ['connection issue', watch('bounce', 'The server of the recipient could not be reached.')],
  ['duplicate in campaign', ignore('bounce', `${NOT_THE_ADDRESS}: a campaign mails each address once.`)],
];

/** Events `bounce` with `hard_bounce: true`, by error. */
export const HARD_BOUNCES: ReadonlyMap<string, Mapping> = new Map([
  ['user unknown', suppress('bounce', 'Mailjet says that the mailbox does not exist.')],
  ['mailbox inactive', suppress('bounce', 'Mailjet says that the mailbox is abandoned.')],
  ['invalid domain', suppress('bounce', 'Mailjet says that the domain does not exist.')],
  ['no mail host', suppress('bounce', 'Mailjet says that the domain has no mail server.')],
  ['typofix', suppress('bounce', 'Mailjet says that the domain is not valid.')],
  ...OTHER_ERRORS,
]);

/** Events `bounce` without `hard_bounce: true`, which are soft failures, by error. */
export const SOFT_BOUNCES: ReadonlyMap<string, Mapping> = new Map<string, Mapping>([
  ['user unknown', softByDiagnostic],
  ['mailbox inactive', softByDiagnostic],
  ['invalid domain', softByDiagnostic],
  ['no mail host', softByDiagnostic],
  ['typofix', softByDiagnostic],
  ...OTHER_ERRORS,
]);

const BOUNCED_BEFORE = suppressIfAbsent('bounce', 'Mailjet did not send: the address had bounced before.');

/** `blocked`: Mailjet did not try. It does not say why an address is on its exclusion list. */
export const BLOCKS: ReadonlyMap<string, Mapping> = new Map([
  [
    'spam reporter',
    suppressIfAbsent('complaint', 'Mailjet did not send: the recipient had complained before.'),
  ],
  [
    'blacklisted',
    suppressIfAbsent('manual', 'Mailjet did not send: the address was on its exclusion list already.'),
  ],
  ['preblocked', BOUNCED_BEFORE],
  ['user unknown', BOUNCED_BEFORE],
  ['mailbox inactive', BOUNCED_BEFORE],
  ['invalid domain', BOUNCED_BEFORE],
  ['no mail host', BOUNCED_BEFORE],
  ['typofix', suppressIfAbsent('bounce', 'Mailjet did not send: the domain is not valid.')],
  ...OTHER_ERRORS,
]);
