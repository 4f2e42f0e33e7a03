import { CAUSES } from '../../../ledger/cause.js';
import { textOf, type Fields } from '../../access/fields.js';
import { CAUSE_NAMES, listOf } from '../../components/words.js';
import type { AddressAnswer } from './address-answers.js';
import { isSuppressed } from './sentence.js';

/** Says what the form before this page lifted, and what still suppresses the address; undefined if it lifted nothing. */
export function liftedIn(query: Fields, { found, any }: AddressAnswer): string | undefined {
  const named = textOf(query, 'causes').split(',');
  const lifted = CAUSES.filter((cause) => named.includes(cause));
  if (textOf(query, 'done') !== 'lifted' || lifted.length === 0) {
    return undefined;
  }
  const left = found?.causes.map(({ cause }) => cause) ?? [];
  const again = left.filter((cause) => lifted.includes(cause));
  const others = left.filter((cause) => !lifted.includes(cause));
  const stays = isSuppressed(any) ? 'Still suppressed because of' : 'Still on record';
  return [
    `Lifted: ${namesOf(lifted)}.`,
    again.length > 0 && `Recorded again since: ${namesOf(again)}.`,
    others.length > 0 && `${stays}: ${namesOf(others)}.`,
    left.length === 0 && isSuppressed(any) && 'A rule still suppresses the address.',
  ]
    .filter(Boolean)
    .join(' ');
}

function namesOf(causes: readonly (keyof typeof CAUSE_NAMES)[]): string {
  return listOf(causes.map((cause) => CAUSE_NAMES[cause]));
}
