export const EFFECTS = [
  'suppress',
  'suppress-if-absent',
  'watch',
  'lift',
  'opt-out',
  'opt-in',
  'success',
  'none',
] as const;

export type Effect = (typeof EFFECTS)[number];

export const EFFECT_MEANINGS: Readonly<Record<Effect, string>> = {
  suppress: 'add the address, or strengthen its cause',
  'suppress-if-absent':
    'the provider had the address on its own list already; add it, but never change a suppression',
  watch: 'count a soft failure, since a source may suppress after many of them',
  lift: 'remove what the same source added: a `resubscribe` its unsubscribe, a `removed` its bounce or manual entry',
  'opt-out': 'the recipient left a kind of mail: opt out of its topic',
  'opt-in': 'the recipient joined a kind of mail again: take back the opt-out that the same source reported',
  success: 'mail arrived, so earlier soft failures no longer count',
  none: 'only store the event',
};

export const OUTCOMES = [
  'added',
  'strengthened',
  'cause_added',
  'removed',
  'counted',
  'ignored',
  'opted_out',
  'opted_in',
  'nothing',
] as const;

export type Outcome = (typeof OUTCOMES)[number];

export const OUTCOME_MEANINGS: Readonly<Record<Outcome, string>> = {
  added: 'it put the address on the list',
  strengthened: 'it added a stronger cause',
  cause_added: 'it added a weaker cause',
  removed: 'it removed a cause or the whole suppression',
  counted: 'it is a soft failure, which counts towards the limit of the source',
  ignored: 'it is a bounce of an address that a rule allows',
  opted_out: 'it opted the recipient out of a topic',
  opted_in: 'it reversed an opt-out of a topic',
  nothing:
    'it changed nothing; `suppression_id` is the suppression that already had this cause, if there is one',
};

/** The outcome of an event that changes nothing. */
export function initialOutcome(effect: Effect): Outcome {
  return effect === 'watch' ? 'counted' : 'nothing';
}
