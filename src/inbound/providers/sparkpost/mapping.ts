import {
  byDiagnostic,
  ignore,
  optOut,
  softByDiagnostic,
  success,
  suppress,
  type Mapping,
} from '../../policy/mapping.js';

/** https://developers.sparkpost.com/api/webhooks/ */
export const EVENTS: ReadonlyMap<string, Mapping> = new Map([
  [
    'list_unsubscribe',
    suppress('unsubscribe', 'The recipient used the unsubscribe button of the mail program.'),
  ],
  ['link_unsubscribe', suppress('unsubscribe', 'The recipient used an unsubscribe link in the message.')],
  ['delivery', success('delivered', "The recipient's server accepted the message.")],
  ['delay', ignore('unknown', 'The message is delayed; SparkPost tries again.')],
  ['policy_rejection', ignore('unknown', 'SparkPost refused the message by its own policy.')],
]);

/**
 * By type, of an email with a `List-Id`: SparkPost suppresses the recipient for that list only.
 * https://developers.sparkpost.com/api/suppression-list/
 */
export const LIST_EVENTS: ReadonlyMap<string, Mapping> = new Map([
  ['list_unsubscribe', optOut('unsubscribe', 'The recipient left a list by the button of the mail program.')],
  ['link_unsubscribe', optOut('unsubscribe', 'The recipient left a list by a link in the message.')],
]);

/** Bounces by class: https://support.sparkpost.com/docs/deliverability/bounce-classification-codes */
export const BOUNCE_CLASSES: ReadonlyMap<string, Mapping> = new Map<string, Mapping>([
  ['1', byDiagnostic],
  ['10', suppress('bounce', 'SparkPost classifies the recipient as invalid.')],
  ['20', softByDiagnostic],
  ['21', softByDiagnostic],
  ['22', softByDiagnostic],
  ['23', ignore('bounce', 'The message was too large; the address may be fine.')],
  ['24', softByDiagnostic],
  ['25', ignore('bounce', 'SparkPost refused the message by the policy of the sender.')],
  ['30', suppress('bounce', 'SparkPost says that there is no such recipient.')],
  ['40', softByDiagnostic],
  ['50', ignore('bounce', 'The receiver blocked the message; the address may be fine.')],
  ['51', ignore('bounce', 'The sender was blocked as a source of spam; the address may be fine.')],
  ['52', ignore('bounce', 'The message was taken for spam; the address may be fine.')],
  ['53', ignore('bounce', 'The attachment was refused; the address may be fine.')],
  ['54', ignore('bounce', 'The receiver does not relay; the address may be fine.')],
  ['60', ignore('unknown', 'An automatic reply, not a bounce.')],
  ['70', softByDiagnostic],
  ['80', ignore('unknown', 'A request to subscribe, not a bounce.')],
  ['90', suppress('unsubscribe', 'The recipient asked to be unsubscribed.')],
  ['100', ignore('unknown', 'A challenge to the sender, not a bounce.')],
]);
