import { STILL_LISTED, type DeliveryEventKind } from '../parsing/delivery-event.js';
import { providerNamed } from './providers.js';

/** Says that a provider still has an address on its own list for events of this kind, and where a person removes it. */
export function stillListed(provider: string, kind: DeliveryEventKind): string {
  const list = providerNamed(provider)?.suppressionLists?.[kind];
  return list
    ? `${STILL_LISTED}${list.name}: remove it there (${list.path}).`
    : `${STILL_LISTED}the provider's own list: remove it there.`;
}
