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
