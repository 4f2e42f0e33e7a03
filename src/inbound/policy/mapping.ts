import { blamesUs, classify, isExplained, type Verdict } from './classify.js';
import { storable, type DeliveryEventKind, type Effect } from '../parsing/delivery-event.js';

/** What the receiving server said. */
export interface Bounce {
  status?: string | null | undefined;
  diagnostic?: string | null | undefined;
}

export interface Ruling {
  kind: DeliveryEventKind;
  effect: Effect;
  reason: string;
}

/** A line of a provider's table. */
export type Rule = (bounce: Bounce) => Ruling;

const EFFECTS: Readonly<Record<Verdict, Effect>> = { suppress: 'suppress', watch: 'watch', ignore: 'none' };
const MAX_TYPE_LENGTH = 60;

/** The provider's word is enough. */
export const suppress = rule('suppress');
/** The provider did not try, because the address is on its own list. */
export const suppressIfAbsent = rule('suppress-if-absent');
export const watch = rule('watch');
export const lift = rule('lift');
export const success = rule('success');
export const ignore = rule('none');

/** What a verdict of the policy does to the list. */
export function effectOf(verdict: Verdict): Effect {
  return EFFECTS[verdict];
}

/** The provider's word says little: what the server said decides. */
export function byDiagnostic(bounce: Bounce): Ruling {
  const { status, diagnostic } = read(bounce);
  if (!status && !diagnostic) {
    return { kind: 'bounce', effect: 'watch', reason: 'Nobody says why the message bounced.' };
  }
  const { verdict, reason } = classify({ status, diagnostic });
  return { kind: 'bounce', effect: blamesUs({ status, diagnostic }) ? 'none' : effectOf(verdict), reason };
}

/** The provider calls it temporary, so nothing that the server said suppresses at once. */
export function softByDiagnostic(bounce: Bounce): Ruling {
  const ruling = byDiagnostic(bounce);
  return ruling.effect === 'suppress'
    ? { ...ruling, effect: 'watch', reason: `The provider calls it temporary. ${ruling.reason}` }
    : ruling;
}

/** The provider calls it permanent, and is right unless what the server said shows another cause than the address. */
export function hardUnlessBlocked(reason: string): Rule {
  return (bounce) => {
    const hard: Ruling = { kind: 'bounce', effect: 'suppress', reason };
    if (!isExplained(read(bounce))) {
      return hard;
    }
    const ruling = byDiagnostic(bounce);
    return ruling.effect === 'suppress' ? hard : ruling;
  };
}

/** The line for a type. Providers add types: one that no line has is stored and counted, and does nothing. */
export function ruleFor(rules: ReadonlyMap<string, Rule>, type: string | undefined): Rule {
  const name = storable(type, MAX_TYPE_LENGTH) ?? 'none';
  return (
    (type === undefined ? undefined : rules.get(type)) ??
    ignore('unknown', `The type "${name}" is not one that says whether the address may be mailed.`)
  );
}

function rule(effect: Effect): (kind: DeliveryEventKind, reason: string) => Rule {
  return (kind, reason) => () => ({ kind, effect, reason });
}

/** Bounded, because every wording rule reads all of it. */
function read({ status, diagnostic }: Bounce): { status: string | null; diagnostic: string | null } {
  return { status: status?.trim() || null, diagnostic: storable(diagnostic) };
}
