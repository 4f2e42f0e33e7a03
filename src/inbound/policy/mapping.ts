import { storable, type DeliveryEventKind, type Effect } from '../parsing/delivery-event.js';
import { classify, isExplained, type Bounce, type Classification } from './classify.js';

/** A line of a provider's table: how a type of event is classified. */
export type Mapping = (bounce: Bounce) => Classification;

const MAX_TYPE_LENGTH = 60;

/** The provider's word is enough. */
export const suppress = mapping('suppress');
/** The provider did not try, because the address is on its own list. */
export const suppressIfAbsent = mapping('suppress-if-absent');
export const watch = mapping('watch');
export const lift = mapping('lift');
export const success = mapping('success');
export const ignore = mapping('none');

/** The provider's word says little: what the server said decides. */
export function byDiagnostic(bounce: Bounce): Classification {
  const { status, diagnostic } = read(bounce);
  if (!status && !diagnostic) {
    return { kind: 'bounce', effect: 'watch', reason: 'Nobody says why the message bounced.' };
  }
  const { kind, effect, reason } = classify({ status, diagnostic });
  return { kind, effect, reason };
}

/** The provider calls it temporary, so nothing that the server said suppresses at once. */
export function softByDiagnostic(bounce: Bounce): Classification {
  const classification = byDiagnostic(bounce);
  return classification.effect === 'suppress'
    ? {
        ...classification,
        effect: 'watch',
        reason: `The provider calls it temporary. ${classification.reason}`,
      }
    : classification;
}

/** The provider calls it permanent, and is right unless what the server said shows another cause than the address. */
export function hardUnlessBlocked(reason: string): Mapping {
  return (bounce) => {
    const hard: Classification = { kind: 'bounce', effect: 'suppress', reason };
    if (!isExplained(read(bounce))) {
      return hard;
    }
    const classification = byDiagnostic(bounce);
    return classification.effect === 'suppress' ? hard : classification;
  };
}

/** The line for a type. Providers add types: one that no line has is stored and counted, and does nothing. */
export function mappingFor(mappings: ReadonlyMap<string, Mapping>, type: string | undefined): Mapping {
  const name = storable(type, MAX_TYPE_LENGTH) ?? 'none';
  return (
    (type === undefined ? undefined : mappings.get(type)) ??
    ignore('unknown', `The type "${name}" is not one that says whether the address may be mailed.`)
  );
}

function mapping(effect: Effect): (kind: DeliveryEventKind, reason: string) => Mapping {
  return (kind, reason) => () => ({ kind, effect, reason });
}

/** Bounded, because every wording rule reads all of it. */
function read({ status, diagnostic }: Bounce): { status: string | null; diagnostic: string | null } {
  return { status: status?.trim() || null, diagnostic: storable(diagnostic) };
}
