import {
  byDiagnostic,
  hardUnlessBlocked,
  ignore,
  success,
  suppress,
  suppressIfAbsent,
  type Mapping,
} from '../../policy/mapping.js';

const COMPLAINT = suppress('complaint', 'The recipient marked the message as spam.');
const UNSUBSCRIBE = suppress('unsubscribe', 'The recipient unsubscribed.');

/** https://developers.brevo.com/docs/transactional-webhooks */
export const EVENTS: ReadonlyMap<string, Mapping> = new Map<string, Mapping>([
  ['hard_bounce', hardUnlessBlocked('Brevo calls the bounce hard.')],
  // They include domains without a mail server.
  ['soft_bounce', byDiagnostic],
  ['invalid_email', suppress('bounce', 'Brevo says that the address is not valid.')],
  ['blocked', suppressIfAbsent('bounce', 'Brevo did not send: the address was on its blocklist already.')],
  ['spam', COMPLAINT],
  ['complaint', COMPLAINT],
  ['unsubscribe', UNSUBSCRIBE],
  ['unsubscribed', UNSUBSCRIBE],
  ['delivered', success('delivered', "The recipient's server accepted the message.")],
  ['deferred', ignore('unknown', 'The message is delayed; Brevo tries again.')],
  ['error', ignore('unknown', 'Brevo could not send; that says nothing about the address.')],
]);
