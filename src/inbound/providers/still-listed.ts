import type { Cause } from '../../ledger/cause.js';
import { STILL_LISTED } from '../parsing/delivery-event.js';
import { providerNamed } from './providers.js';

/** Says that a provider still has an address on its own list for this cause, and where a person removes it. */
export function stillListed(provider: string, cause: Cause): string {
  const list = providerNamed(provider)?.suppressionLists[cause];
  return list && 'name' in list
    ? `${STILL_LISTED}${list.name}: remove it there (${list.path}).`
    : `${STILL_LISTED}the provider's own list: remove it there.`;
}
