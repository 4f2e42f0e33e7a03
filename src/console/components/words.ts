import type { Outcome, DeliveryEventKind } from '../../inbound/parsing/delivery-event.js';
import type { Cause } from '../../ledger/cause.js';
import type { Action } from '../../ledger/suppression-change.entity.js';

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

export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** `News, Offers, and Digest` */
export function listOf(parts: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(parts);
}

const MAX_QUOTED = 100;

/** What a person entered, in quotation marks, without the end of a long text. */
export function quote(text: string): string {
  return `“${text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text}”`;
}
