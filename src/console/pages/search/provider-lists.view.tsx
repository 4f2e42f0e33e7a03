import type { JSX } from 'preact';
import { providerNamed } from '../../../inbound/providers/providers.js';
import type { SuppressionList } from '../../../inbound/providers/provider.js';
import { POSTED_EVENTS } from '../../../audit/actor.js';
import { CAUSES, type Cause } from '../../../ledger/cause.js';
import { capitalized } from '../../components/words.js';
import type { AddressAnswer } from './address-answers.js';

/** Reminds a person who lifted what a provider reported that the provider has a list of its own. */
export function ProviderLists({ answer }: { answer: AddressAnswer }): JSX.Element | null {
  const causes = liftedCauses(answer);
  const reports = answer.events.elements.filter(
    ({ event }) => event.effect.startsWith('suppress') && causes.some((cause) => cause === event.kind),
  );
  const lists = new Map(
    reports
      .map(({ event, source }) => providerNamed(source.provider)?.suppressionLists?.[event.kind])
      .flatMap((list): [string, SuppressionList][] => (list ? [[list.name, list]] : [])),
  );
  const isPosted = reports.some(
    ({ event, source }) => source.name === POSTED_EVENTS && event.kind !== 'unsubscribe',
  );
  return lists.size > 0 || isPosted ? (
    <div class="notice warn">
      {[...lists.values()].map(({ name, path }) => (
        <p key={name}>
          {capitalized(name)} may still have this address: remove it there ({path}).
        </p>
      ))}
      {isPosted && (
        <p>
          If your mailers send through a provider, the provider may still have this address on a list of its
          own: remove it there.
        </p>
      )}
    </div>
  ) : null;
}

/** The causes that somebody lifted last. */
function liftedCauses({ found, changes }: AddressAnswer): Cause[] {
  return CAUSES.filter((cause) => {
    const last = changes.elements.find((change) => change.cause === cause);
    const isListed = found?.causes.some((listed) => listed.cause === cause) ?? false;
    return !isListed && (last?.action === 'removed' || last?.action === 'cause_removed');
  });
}
