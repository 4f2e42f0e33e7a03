import type { DeliveryEventKind } from '../../parsing/delivery-event.js';
import {
  byDiagnostic,
  ignore,
  lift,
  optIn,
  optOut,
  softByDiagnostic,
  success,
  suppress,
  type Mapping,
} from '../../policy/mapping.js';

const NOT_A_BOUNCE = 'An answer to the message, not a bounce.';

/** `RecordType` of records that are one fact: https://postmarkapp.com/developer/webhooks/webhooks-overview */
export const RECORDS: ReadonlyMap<string, Mapping> = new Map([
  ['SpamComplaint', suppress('complaint', 'The recipient marked the message as spam.')],
  ['Delivery', success('delivered', "The recipient's server accepted the message.")],
]);

/** Bounces by `Type`: https://postmarkapp.com/developer/api/bounce-api#bounce-types */
export const BOUNCES: ReadonlyMap<string, Mapping> = new Map<string, Mapping>([
  ['HardBounce', suppress('bounce', 'Postmark says that the mailbox or the domain does not exist.')],
  ['BadEmailAddress', suppress('bounce', 'Postmark says that the address is not valid.')],
  ['SpamComplaint', suppress('complaint', 'The recipient marked the message as spam.')],
  ['Unsubscribe', suppress('unsubscribe', 'The recipient asked to be unsubscribed.')],
  ['ManuallyDeactivated', suppress('manual', 'Somebody deactivated the address at Postmark.')],
  ['Transient', softByDiagnostic],
  ['SoftBounce', softByDiagnostic],
  ['DnsError', softByDiagnostic],
  ['Unknown', byDiagnostic],
  ['Blocked', ignore('bounce', 'The sender was blocked; the address may be fine.')],
  ['SpamNotification', ignore('bounce', 'The message was taken for spam; the address may be fine.')],
  ['VirusNotification', ignore('bounce', 'The message was taken for a virus; the address may be fine.')],
  ['DMARCPolicy', ignore('bounce', 'The message failed the DMARC policy of the sender.')],
  ['SMTPApiError', ignore('bounce', 'The request to Postmark was wrong.')],
  ['TemplateRenderingFailed', ignore('bounce', 'The template of the message was wrong.')],
  ['InboundError', ignore('unknown', 'It is about mail to Postmark, not from it.')],
  ['AutoResponder', ignore('unknown', NOT_A_BOUNCE)],
  ['ChallengeVerification', ignore('unknown', NOT_A_BOUNCE)],
  ['AddressChange', ignore('unknown', NOT_A_BOUNCE)],
  ['Subscribe', ignore('unknown', NOT_A_BOUNCE)],
  ['OpenRelayTest', ignore('unknown', NOT_A_BOUNCE)],
  ['Unconfirmed', ignore('unknown', 'The sender asked for a confirmation that did not come yet.')],
]);

/** `Inactive: true`: Postmark stopped mailing the address, whatever it calls the bounce. */
export const DEACTIVATED: Mapping = suppress('bounce', 'Postmark deactivated the address after a bounce.');

/** `SubscriptionChange` by reason and origin: https://postmarkapp.com/developer/webhooks/subscription-change-webhook */
export const SUPPRESSION_REASONS: ReadonlyMap<string, Mapping> = new Map([
  ['HardBounce', suppress('bounce', 'Postmark suppressed the address because of a hard bounce.')],
  ['SpamComplaint', suppress('complaint', 'Postmark suppressed the address because of a complaint.')],
  ['ManualSuppression/Recipient', suppress('unsubscribe', 'The recipient unsubscribed.')],
  ['ManualSuppression/Customer', suppress('manual', 'The sender suppressed the address at Postmark.')],
  ['ManualSuppression/Admin', suppress('manual', 'Postmark suppressed the address by hand.')],
]);

export const REACTIVATED: Mapping = lift('resubscribe', 'Postmark mails the address again.');

/**
 * By the kind of an event that names its message stream. A suppression at Postmark covers one stream:
 * https://postmarkapp.com/developer/api/suppressions-api
 */
export const STREAM_CHANGES: ReadonlyMap<DeliveryEventKind, Mapping> = new Map([
  ['unsubscribe', optOut('unsubscribe', 'The recipient left a message stream.')],
  ['resubscribe', optIn('resubscribe', 'Postmark mails the address in the message stream again.')],
]);
