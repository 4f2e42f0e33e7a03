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
  type Mapping,
} from '../../policy/mapping.js';

const ALREADY_LISTED = 'Resend did not send: the address was on its suppression list already.';
/** It does not say why. A complaint must not expire, or be lifted, as a bounce. */
const LISTED_FOR_ANY_CAUSE = suppressIfAbsent('manual', ALREADY_LISTED);

/** https://resend.com/docs/webhooks/event-types */
export const EVENTS: ReadonlyMap<string, Mapping> = new Map([
  ['email.complained', suppress('complaint', 'The recipient marked the email as spam.')],
  ['email.suppressed', LISTED_FOR_ANY_CAUSE],
  ['email.delivered', success('delivered', "The recipient's server accepted the email.")],
  ['suppression.removed', lift('removed', 'The address was taken off the suppression list of Resend.')],
]);

/** `suppression.added` by its origin, one to one: https://resend.com/docs/webhooks/suppressions/added */
export const ORIGINS: ReadonlyMap<string, Mapping> = new Map([
  ['bounce', suppress('bounce', 'Resend suppressed the address because an email bounced.')],
  ['complaint', suppress('complaint', 'Resend suppressed the address because of a complaint.')],
  ['manual', suppress('manual', 'Somebody put the address on the suppression list of Resend.')],
]);

/** `contact.created` and `contact.updated` by `unsubscribed`: https://resend.com/docs/webhooks/contacts/updated */
export const UNSUBSCRIBED: ReadonlyMap<string, Mapping> = new Map([
  ['true', suppress('unsubscribe', 'The contact has unsubscribed.')],
  [
    'false',
    ignore('unknown', 'The contact is not unsubscribed: the state of one audience, sent at every change.'),
  ],
]);

/** `contact.topics.updated` by `subscription`: https://resend.com/docs/webhooks/contacts/topics-updated */
export const SUBSCRIPTIONS: ReadonlyMap<string, Mapping> = new Map([
  ['opt_out', optOut('unsubscribe', 'The contact opted out of a topic.')],
  ['opt_in', optIn('resubscribe', 'The contact opted in to a topic.')],
]);

export const NO_TOPIC: Mapping = ignore('unknown', 'The event names no topic that changed.');

const PERMANENT = hardUnlessBlocked('Resend calls the bounce permanent.');

/** `email.bounced` by type and subtype in lower case: https://resend.com/docs/dashboard/emails/email-bounces */
export const BOUNCES: ReadonlyMap<string, Mapping> = new Map([
  ['permanent/general', PERMANENT],
  // The bounce message names no address. It may say anything about the reason.
  ['permanent/noemail', PERMANENT],
  ['permanent/suppressed', suppressIfAbsent('bounce', ALREADY_LISTED)],
  ['permanent/onaccountsuppressionlist', LISTED_FOR_ANY_CAUSE],
  ['transient/general', softByDiagnostic],
  ['transient/mailboxfull', softByDiagnostic],
  ['transient/messagetoolarge', ignore('bounce', 'The message was too large; the address may be fine.')],
  ['transient/contentrejected', ignore('bounce', 'The content was refused; the address may be fine.')],
  ['transient/attachmentrejected', ignore('bounce', 'The attachment was refused; the address may be fine.')],
  ['undetermined/undetermined', byDiagnostic],
]);
