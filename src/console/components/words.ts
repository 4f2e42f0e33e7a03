import type { Outcome, DeliveryEventKind } from '../../inbound/parsing/delivery-event.js';
import type { ProviderName } from '../../inbound/providers/providers.js';
import type { Cause } from '../../ledger/cause.js';
import type { Action } from '../../ledger/suppression-change.entity.js';
import type { ListProviderName } from '../../provider-lists/providers/providers.js';

/** What causes, actions and events are called in the console. */
export const CAUSE_NAMES: Record<Cause, string> = {
  bounce: 'Bounce',
  manual: 'Added by hand',
  unsubscribe: 'Unsubscribe',
  complaint: 'Spam complaint',
};

export const ACTION_NAMES: Record<Action, string> = {
  added: 'Suppressed',
  strengthened: 'Another, stronger cause',
  cause_added: 'Another cause',
  cause_removed: 'Cause lifted',
  removed: 'Suppression lifted',
  expired: 'Expired',
  opted_in: 'Opted in',
  opted_out: 'Opted out',
};

export const KIND_NAMES: Record<DeliveryEventKind, string> = {
  bounce: 'Bounce',
  complaint: 'Spam complaint',
  unsubscribe: 'Unsubscribe',
  manual: 'Suppressed at the provider',
  resubscribe: 'Subscribed again',
  removed: 'Removed at the provider',
  delivered: 'Delivered',
  unknown: 'Other',
};

export const OUTCOME_NAMES: Record<Outcome, string> = {
  added: 'Suppressed the address',
  strengthened: 'Added a stronger cause',
  cause_added: 'Added a cause',
  removed: 'Lifted the suppression',
  counted: 'Counted as a soft failure',
  ignored: 'Ignored, because a rule allows the address',
  opted_out: 'Opted out of a topic',
  opted_in: 'Reversed an opt-out',
  nothing: 'Changed nothing',
};

/** Those that report events, that have a list of their own, or whose files can be imported. */
export const PROVIDER_LABELS: Record<ProviderName | ListProviderName | 'listmonk' | 'mailchimp', string> = {
  brevo: 'Brevo',
  listmonk: 'listmonk',
  mail: 'Your own mail server',
  mailchimp: 'Mailchimp',
  mailgun: 'Mailgun',
  mailjet: 'Mailjet',
  mandrill: 'Mandrill',
  postmark: 'Postmark',
  resend: 'Resend',
  sendgrid: 'SendGrid',
  ses: 'Amazon SES',
  sparkpost: 'SparkPost',
};

/** The name of the provider of a source. Without one, mailers post the events. */
export function providerLabel(name: string): string {
  return PROVIDER_LABELS[name as ProviderName] ?? 'Your own mailers';
}

/** The labels of some providers, in this order. */
export function providerChoices(names: readonly (keyof typeof PROVIDER_LABELS)[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, PROVIDER_LABELS[name]]));
}

export function countOf(count: number, one: string, several: string): string {
  return count === 1 ? `1 ${one}` : `${count.toLocaleString('en')} ${several}`;
}

export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The label of a field by its name: `Access key ID`. */
export function labelOfField(name: string): string {
  return capitalized(name.replaceAll('_', ' ').replace(/\b(?:api|id)\b/g, (word) => word.toUpperCase()));
}

/** `News, Offers, and Digest` */
export function listOf(parts: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(parts);
}

/** `Bounce and Unsubscribe` */
export function listOfCauses(causes: readonly Cause[]): string {
  return listOf(causes.map((cause) => CAUSE_NAMES[cause]));
}

const MAX_QUOTED = 100;

/** What a person entered, in quotation marks, without the end of a long text. */
export function quote(text: string): string {
  return `“${text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text}”`;
}
