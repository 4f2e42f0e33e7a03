import {
  byDiagnostic,
  ignore,
  optIn,
  optOut,
  softByDiagnostic,
  success,
  suppress,
  suppressIfAbsent,
  type Mapping,
} from '../../policy/mapping.js';

/** https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event */
export const EVENTS: ReadonlyMap<string, Mapping> = new Map([
  ['delivered', success('delivered', "The recipient's server accepted the message.")],
  ['deferred', ignore('unknown', 'The message is delayed; SendGrid tries again.')],
  ['spamreport', suppress('complaint', 'The recipient marked the message as spam.')],
  ['unsubscribe', suppress('unsubscribe', 'The recipient unsubscribed.')],
]);

/** Bounces by `bounce_classification` in lower case. */
export const CLASSIFICATIONS: ReadonlyMap<string, Mapping> = new Map<string, Mapping>([
  ['invalid address', suppress('bounce', 'SendGrid classifies the address as invalid.')],
  ['mailbox unavailable', byDiagnostic],
  ['unclassified', byDiagnostic],
  ['', byDiagnostic],
  ['content', ignore('bounce', 'The content was refused; the address may be fine.')],
  ['reputation', ignore('bounce', 'The sender was refused; the address may be fine.')],
  ['frequency or volume too high', ignore('bounce', 'The sender was too fast; the address may be fine.')],
  ['technical failure', softByDiagnostic],
]);

/** `type: blocked`: a refusal that SendGrid does not put on its list. */
export const BLOCKED: Mapping = softByDiagnostic;

/** `dropped` by its reason in lower case. */
export const DROP_REASONS: ReadonlyMap<string, Mapping> = new Map([
  ['bounced address', suppressIfAbsent('bounce', 'SendGrid did not send: the address had bounced before.')],
  [
    'invalid',
    suppressIfAbsent('bounce', 'SendGrid did not send: the address is on its list of invalid ones.'),
  ],
  [
    'spam reporting address',
    suppressIfAbsent('complaint', 'SendGrid did not send: the recipient had complained before.'),
  ],
  [
    'unsubscribed address',
    suppressIfAbsent('unsubscribe', 'SendGrid did not send: the recipient had unsubscribed before.'),
  ],
  ['spam content', ignore('bounce', 'SendGrid refused the content; the address may be fine.')],
  ['invalid smtpapi header', ignore('bounce', 'The request was wrong; the address may be fine.')],
  ['recipient list over package quota', ignore('bounce', 'The quota of the sender is used up.')],
]);

/** Events of an unsubscribe group, which covers one kind of mail. */
export const GROUP_EVENTS: ReadonlyMap<string, Mapping> = new Map([
  ['group_unsubscribe', optOut('unsubscribe', 'The recipient left an unsubscribe group.')],
  ['group_resubscribe', optIn('resubscribe', 'The recipient joined the unsubscribe group again.')],
]);
