import {
  byDiagnostic,
  hardUnlessBlocked,
  ignore,
  softByDiagnostic,
  success,
  suppress,
  suppressIfAbsent,
  watch,
  lift,
  type Bounce,
  type Rule,
} from '../../policy/mapping.js';

const ALREADY_LISTED = 'Amazon SES did not send: the address was on a suppression list already.';
/** RFC 3463: the address of the next host was not to be found. */
const UNABLE_TO_ROUTE = '5.4.4';

/** One recipient of a permanent bounce may only be delayed: the notification is about all that failed so far. */
export const DELAYED: Rule = watch('bounce', 'Delivery to this recipient is only delayed.');

/** Bounces by type and subtype: https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html#bounce-types */
export const BOUNCES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['permanent/general', hardUnlessBlocked('Amazon SES calls the bounce permanent.')],
  ['permanent/noemail', suppress('bounce', 'Amazon SES says that the mailbox does not exist.')],
  ['permanent/suppressed', suppressIfAbsent('bounce', ALREADY_LISTED)],
  ['permanent/onaccountsuppressionlist', suppressIfAbsent('bounce', ALREADY_LISTED)],
  ['transient/general', transient],
  ['transient/mailboxfull', transient],
  ['transient/messagetoolarge', ignore('bounce', 'The message was too large; the address may be fine.')],
  ['transient/contentrejected', ignore('bounce', 'The content was refused; the address may be fine.')],
  ['transient/attachmentrejected', ignore('bounce', 'The attachment was refused; the address may be fine.')],
  ['undetermined/undetermined', byDiagnostic],
]);

const COMPLAINT = suppress('complaint', 'The recipient complained.');

/** Complaints by feedback type (RFC 5965, section 7.3), which many reports lack. */
export const COMPLAINTS: ReadonlyMap<string, Rule> = new Map([
  ['', COMPLAINT],
  ['abuse', COMPLAINT],
  ['fraud', COMPLAINT],
  ['other', COMPLAINT],
  ['miscategorized', COMPLAINT],
  ['opt-out', suppress('unsubscribe', 'The recipient opted out.')],
  ['not-spam', ignore('unknown', 'The recipient reports that the message is not spam.')],
  ['auth-failure', ignore('unknown', 'The report is about authentication, not about the recipient.')],
  ['virus', ignore('unknown', 'The report is about a virus, not about the recipient.')],
]);

export const COMPLAINT_ALREADY_LISTED: Rule = suppressIfAbsent('complaint', ALREADY_LISTED);

/** A report without the recipient's address: Amazon names everybody who may have sent it. */
export const COMPLAINT_OF_ONE_OF_SEVERAL: Rule = watch(
  'complaint',
  'One of several recipients complained, and Amazon SES cannot tell which of them.',
);

export const DELIVERED: Rule = success('delivered', 'The server of the recipient took the message.');

/** `Subscription` events, where Amazon SES manages the contact list. */
export const UNSUBSCRIBED_FROM_ALL: Rule = suppress(
  'unsubscribe',
  'The recipient unsubscribed from all topics.',
);
export const RESUBSCRIBED: Rule = lift('resubscribe', 'The recipient subscribed again.');
export const TOPIC_CHANGED: Rule = ignore('unknown', 'The recipient changed single topics, not all mail.');

/** A domain that does not exist is called transient, because asking the name servers again might help. */
function transient(bounce: Bounce): ReturnType<Rule> {
  return bounce.status === UNABLE_TO_ROUTE
    ? { kind: 'bounce', effect: 'suppress', reason: 'The domain of the recipient cannot be found.' }
    : softByDiagnostic(bounce);
}
