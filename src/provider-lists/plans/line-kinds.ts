export const LINE_KIND_MEANINGS = {
  pull: 'the provider lists the address, and this list does not: applying the plan adds it',
  push: 'only this list has the address: applying the plan adds it at the provider, if `push_additions` is on',
  remove:
    'the entry is stale: this service added it, or it is a bounce that somebody lifted here after the provider listed it. ' +
    'Applying the plan removes it at the provider, if `push_removals` is on',
  drift: 'the address is gone on one side only, and a person has to decide',
  cannot: 'the entry cannot be pulled or pushed; the line has the reason',
  agreed: 'both have the address. If the provider knows a further cause, applying the plan adds it',
} as const;

export type LineKind = keyof typeof LINE_KIND_MEANINGS;

export const LINE_KINDS = Object.keys(LINE_KIND_MEANINGS) as LineKind[];

/** The explanations of lines, by their codes in the database. */
export const LINE_REASONS: Readonly<Record<string, string>> = {
  adds_cause: 'Applying the plan adds this cause to the suppression.',
  lifted_here: 'It was lifted here after the provider listed it.',
  not_lifted_as_bounce:
    'It was lifted here after the provider listed it, but not as a bounce, so a person has to confirm the removal.',
  needs_confirmation:
    'It was lifted here after the provider listed it. At the provider, only a person may remove a complaint, an ' +
    'unsubscribe, or a manual entry.',
  put_there: 'This service put it there, and it is no longer suppressed here.',
  refused_there: 'The provider does not let anybody remove such an entry.',
  lifted_by_source: 'An event of a source lifted it here after the provider listed it.',
  expired_here: 'It expired here after the provider listed it.',
  gone_there: 'The provider had it when a plan was last applied, and does not have it now.',
  unsubscribe: "A provider's list stops transactional mail, too, so unsubscribes are not added to it.",
  no_list: 'The provider has no list for this cause.',
  expires: 'It expires here, and would stay at the provider unless `push_removals` is on.',
  held: 'An incident holds the bounce: it expires within a day, unless it is confirmed.',
  without_effect: 'The settings of the account at the provider give entries with this cause no effect.',
  erased: 'The address was erased here, so the provider cannot be told about it.',
  push_failed:
    'The provider refused it, or too many attempts failed. The pushes of the provider list have the reason.',
  soft_bounce: 'A soft bounce does not suppress an address here.',
  block: 'A block does not suppress an address here.',
  one_group: 'An opt-out of one kind of mail does not suppress an address here.',
  one_sender: 'An entry about one sender does not suppress an address here.',
  expired: 'The entry has expired at the provider.',
  not_suppressed: 'The provider does not block the address.',
  invalid_email: 'This is not an email address.',
  unknown_cause: 'The provider gives a reason that this version does not know.',
};
