import type { DeliveryEventKind, Effect } from '../parsing/delivery-event.js';
import { storable } from '../parsing/report.js';
import { classify, isExplained, type Bounce, type Classification } from './classify.js';

/** A line of a provider's table, which says how a type of event is classified. */
export type Mapping = (bounce: Bounce) => Classification;

const MAX_TYPE_LENGTH = 60;

export const suppress = mapping('suppress');
/** The provider did not try, because the address is on its own list. */
export const suppressIfAbsent = mapping('suppress-if-absent');
export const watch = mapping('watch');
export const lift = mapping('lift');
/** The recipient left one kind of mail, not all mail: see `units`. */
export const optOut = mapping('opt-out');
export const optIn = mapping('opt-in');
export const success = mapping('success');
export const ignore = mapping('none');

/** For a type that says little: the words of the receiving server decide. */
export function byDiagnostic(bounce: Bounce): Classification {
  return bounce.status?.trim() || bounce.diagnostic
    ? classify(bounce)
    : { kind: 'bounce', effect: 'watch', reason: 'the report gives no reason' };
}

/** For a type that the provider calls temporary: it never suppresses, whatever the receiving server said. */
export function softByDiagnostic(bounce: Bounce): Classification {
  const classification = byDiagnostic(bounce);
  const { effect, reason } = classification;
  return effect === 'suppress' || effect === 'suppress-if-absent'
    ? { ...classification, effect: 'watch', reason: `the provider calls the failure temporary: ${reason}` }
    : classification;
}

/** For a type that the provider calls permanent: it suppresses unless the server gave a reason not to. */
export function hardUnlessBlocked(reason: string): Mapping {
  return (bounce) => {
    const classification = byDiagnostic(bounce);
    return isExplained(bounce) && classification.effect !== 'suppress'
      ? classification
      : { kind: 'bounce', effect: 'suppress', reason };
  };
}

/** Providers add types. An event of a type that is not in the table is stored and counted, without an effect. */
export function mappingFor(mappings: ReadonlyMap<string, Mapping>, type: string | undefined): Mapping {
  const name = storable(type, MAX_TYPE_LENGTH) ?? 'none';
  return (
    (type === undefined ? undefined : mappings.get(type)) ??
    ignore('unknown', `the type "${name}" does not say whether the address may be mailed`)
  );
}

function mapping(effect: Effect): (kind: DeliveryEventKind, reason: string) => Mapping {
  return (kind, reason) => () => ({ kind, effect, reason });
}

/**
 * The feedback types in lower case, from RFC 5965, section 7.3, RFC 6430, RFC 6591, and providers. A provider may omit the
 * type.
 */
export const FEEDBACK_TYPES: ReadonlyMap<string, Mapping> = new Map([
  ['', suppress('complaint', 'the recipient complained about the mail')],
  ['abuse', suppress('complaint', 'the recipient reported the mail as spam')],
  ['fraud', suppress('complaint', 'the recipient reported the mail as fraud')],
  ['other', suppress('complaint', 'the recipient complained about the mail')],
  ['miscategorized', suppress('complaint', 'the recipient says that the mail was miscategorized')],
  ['opt-out', suppress('unsubscribe', 'the recipient opted out')],
  ['opt-out-list', suppress('unsubscribe', 'the recipient opted out of the list')],
  ['not-spam', ignore('unknown', 'the recipient says that the mail is not spam')],
  ['auth-failure', ignore('unknown', 'the report is about authentication, not a complaint')],
  ['dmarc', ignore('unknown', 'the report is about authentication, not a complaint')],
  ['virus', ignore('unknown', 'the report is about a virus, not a complaint')],
]);

/** A complaint that does not reveal who complained, and names everybody who may have. */
export const ONE_OF_SEVERAL_COMPLAINED: Mapping = watch(
  'complaint',
  'one of several recipients complained, and the report conceals which one',
);
