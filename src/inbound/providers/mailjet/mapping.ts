import {
  ignore,
  optOut,
  success,
  softByDiagnostic,
  suppress,
  suppressIfAbsent,
  watch,
  type Mapping,
} from '../../policy/mapping.js';

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

/** `bounce` with `hard_bounce: true`. */
export const HARD_BOUNCES: ReadonlyMap<string, Mapping> = new Map([
  ['user unknown', suppress('bounce', 'Mailjet says that the mailbox does not exist.')],
  ['mailbox inactive', suppress('bounce', 'Mailjet says that the mailbox is abandoned.')],
  ['invalid domain', suppress('bounce', 'Mailjet says that the domain does not exist.')],
  ['no mail host', suppress('bounce', 'Mailjet says that the domain has no mail server.')],
  ...OTHER_ERRORS,
]);

/** `bounce` without it: soft failures. */
export const SOFT_BOUNCES: ReadonlyMap<string, Mapping> = new Map<string, Mapping>([
  ['user unknown', softByDiagnostic],
  ['mailbox inactive', softByDiagnostic],
  ['invalid domain', softByDiagnostic],
  ['no mail host', softByDiagnostic],
  ...OTHER_ERRORS,
]);

const BOUNCED_BEFORE = suppressIfAbsent('bounce', 'Mailjet did not send: the address had bounced before.');

/** `blocked`: Mailjet did not try. */
export const BLOCKS: ReadonlyMap<string, Mapping> = new Map([
  ['preblocked', BOUNCED_BEFORE],
  ['user unknown', BOUNCED_BEFORE],
  ['mailbox inactive', BOUNCED_BEFORE],
  ['invalid domain', BOUNCED_BEFORE],
  ['no mail host', BOUNCED_BEFORE],
  ...OTHER_ERRORS,
]);
