import type { Bounce, Classification } from '../../policy/classify.js';
import {
  byDiagnostic,
  hardUnlessBlocked,
  ignore,
  lift,
  optIn,
  optOut,
  softByDiagnostic,
  success,
  suppress,
  suppressIfAbsent,
  watch,
  type Mapping,
} from '../../policy/mapping.js';

const ALREADY_LISTED = 'Amazon SES did not send: the address was on a suppression list already.';
/** RFC 3463: no address of the next host was found. */
const UNABLE_TO_ROUTE = '5.4.4';

/** A permanent bounce can list recipients that are only delayed. */
export const DELAYED: Mapping = watch('bounce', 'Delivery to this recipient is only delayed.');

/** `ooto@simulator.amazonses.com` sends one: https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html */
const AUTOMATIC_REPLY: Mapping = ignore('unknown', 'An automatic reply, not a bounce.');

const PERMANENT = hardUnlessBlocked('Amazon SES calls the bounce permanent.');

const TIMED_OUT: Mapping = ignore('bounce', "The sender's time limit passed before an attempt.");

/** Bounces by type and subtype: https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html#bounce-types */
export const BOUNCES: ReadonlyMap<string, Mapping> = new Map<string, Mapping>([
  ['permanent/general', PERMANENT],
  // The bounce message names no address. It may say anything about the reason.
  ['permanent/noemail', PERMANENT],
  ['permanent/suppressed', suppressIfAbsent('bounce', ALREADY_LISTED)],
  ['permanent/onaccountsuppressionlist', suppressIfAbsent('bounce', ALREADY_LISTED)],
  ['permanent/ontenantsuppressionlist', suppressIfAbsent('bounce', ALREADY_LISTED)],
  [
    'permanent/emailvalidationsuppressed',
    watch('bounce', 'Amazon SES did not send: it predicts that the address is not valid.'),
  ],
  [
    'permanent/unsubscribedrecipient',
    ignore(
      'unsubscribe',
      'Amazon SES did not send: the recipient had left the topic of the message, or all topics.',
    ),
  ],
  // An out-of-office reply is a general transient bounce, too, but without what a mail server says about a failure.
  ['transient/general', transientOr(AUTOMATIC_REPLY)],
  ['transient/mailboxfull', transient],
  // The diagnostic has what the server of the recipient said, if the limit of the sender left time for an attempt.
  ['transient/customtimeoutexceeded', transientOr(TIMED_OUT)],
  ['transient/messagetoolarge', ignore('bounce', 'The message was too large; the address may be fine.')],
  ['transient/contentrejected', ignore('bounce', 'The content was refused; the address may be fine.')],
  ['transient/attachmentrejected', ignore('bounce', 'The attachment was refused; the address may be fine.')],
  ['undetermined/undetermined', byDiagnostic],
]);

export const COMPLAINT_ALREADY_LISTED: Mapping = suppressIfAbsent('complaint', ALREADY_LISTED);

export const DELIVERED: Mapping = success('delivered', "The recipient's server accepted the message.");

/** `Subscription` events, where Amazon SES manages the contact list. */
export const UNSUBSCRIBED_FROM_ALL: Mapping = suppress(
  'unsubscribe',
  'The recipient unsubscribed from all topics.',
);
export const RESUBSCRIBED: Mapping = lift('resubscribe', 'The recipient subscribed again.');
export const TOPIC_LEFT: Mapping = optOut('unsubscribe', 'The recipient left a topic.');
export const TOPIC_JOINED: Mapping = optIn('resubscribe', 'The recipient joined a topic.');
export const TOPIC_CHANGED: Mapping = ignore('unknown', 'The event names no topic that changed.');

/** For a type that can also mean something else, which has neither a status nor a diagnostic. */
function transientOr(other: Mapping): Mapping {
  return (bounce) => (bounce.status || bounce.diagnostic ? transient : other)(bounce);
}

/** SES calls a domain that does not exist transient, because a later DNS lookup might succeed. */
function transient(bounce: Bounce): Classification {
  return bounce.status === UNABLE_TO_ROUTE
    ? { kind: 'bounce', effect: 'suppress', reason: 'The domain of the recipient cannot be found.' }
    : softByDiagnostic(bounce);
}
