import {
  byDiagnostic,
  ignore,
  softByDiagnostic,
  success,
  suppress,
  suppressIfAbsent,
  type Mapping,
} from '../../policy/mapping.js';

/** https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhooks */
export const EVENTS: ReadonlyMap<string, Mapping> = new Map([
  ['complained', suppress('complaint', 'The recipient marked the message as spam.')],
  [
    'unsubscribed',
    suppress('unsubscribe', 'The recipient unsubscribed. Mailgun does not report from which mail.'),
  ],
  ['delivered', success('delivered', "The recipient's server accepted the message.")],
]);

const BOUNCED_BEFORE = suppressIfAbsent('bounce', 'Mailgun did not send: the address had bounced before.');
const COMPLAINED_BEFORE = suppressIfAbsent(
  'complaint',
  'Mailgun did not send: the recipient had complained.',
);
const UNSUBSCRIBED_BEFORE = suppressIfAbsent(
  'unsubscribe',
  'Mailgun did not send: the recipient had unsubscribed.',
);

/** Permanent failures by reason. `permanent` means that Mailgun does not retry, not that the mailbox does not exist. */
export const FAILURES: ReadonlyMap<string, Mapping> = new Map<string, Mapping>([
  ['bounce', byDiagnostic],
  ['generic', softByDiagnostic],
  ['old', softByDiagnostic],
  ['greylisted', softByDiagnostic],
  ['espblock', ignore('bounce', 'The sender was blocked; the address may be fine.')],
  ['suppress-bounce', BOUNCED_BEFORE],
  ['suppress-complaint', COMPLAINED_BEFORE],
  ['suppress-unsubscribe', UNSUBSCRIBED_BEFORE],
]);

/** A bounce that arrived as an email after a server had accepted the message has the reason `generic`. */
export const DELAYED_BOUNCE: Mapping = byDiagnostic;

/** Mailgun's own codes in place of SMTP reply codes. */
export const OWN_CODES: ReadonlyMap<string, Mapping> = new Map([
  ['605', BOUNCED_BEFORE],
  ['606', UNSUBSCRIBED_BEFORE],
  ['607', COMPLAINED_BEFORE],
]);

export const TEMPORARY: Mapping = ignore('unknown', 'The message is delayed; Mailgun tries again.');
export const TEST_MODE = 'The message was sent in test mode, to nobody.';
