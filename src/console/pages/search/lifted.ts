import type { Cause } from '../../../ledger/cause.js';
import { CAUSE_NAMES, listOf } from '../../components/words.js';
import type { AddressAnswer } from './address-answers.js';
import { isSuppressed } from './sentence.js';

/** Says what was lifted, and what still suppresses the address. */
export function liftedSentence(lifted: readonly Cause[], { found, any }: AddressAnswer): string {
  const left = found?.causes.map(({ cause }) => cause) ?? [];
  const stays = isSuppressed(any) ? 'Still suppressed because of' : 'Still on record';
  return [
    `Lifted: ${namesOf(lifted)}.`,
    left.length > 0 && `${stays}: ${namesOf(left)}.`,
    left.length === 0 && isSuppressed(any) && 'A rule still suppresses the address.',
  ]
    .filter(Boolean)
    .join(' ');
}

function namesOf(causes: readonly Cause[]): string {
  return listOf(causes.map((cause) => CAUSE_NAMES[cause]));
}
