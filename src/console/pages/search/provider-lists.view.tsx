import { Fragment } from 'preact';
import { providerNamed } from '../../../inbound/providers/providers.js';
import type { StoredEvent } from '../../../inbound/inbox/stored-event.entity.js';
import { POSTED_EVENTS } from '../../../audit/actor.js';
import type { Source } from '../../../inbound/sources/source.entity.js';
import { CAUSES, type Cause } from '../../../ledger/cause.js';
import type { ProviderList } from '../../../provider-lists/provider-list.entity.js';
import { listProviderOf } from '../../../provider-lists/providers/providers.js';
import { capitalized, providerLabel } from '../../components/words.js';
import { removalUrl } from '../provider-lists/removals.view.js';
import type { AddressAnswer } from './address-answers.js';

const LIST_OF_MAILERS =
  'If your mailers send through a provider, the provider may still have this address on a list of its own: remove it there.';

interface Reminder {
  sentence: string;
  /** The provider lists from which the address can be removed. */
  lists: ProviderList[];
}

/**
 * Reminds a person who lifted a suppression or reverted an opt-out that the provider may still have the address on a list of
 * its own. If the account compares such a list, a link leads to the form that removes the address from it.
 */
export function ProviderLists({ answer }: { answer: AddressAnswer }) {
  const causes = liftedCauses(answer);
  const reminders = answer.events.elements.map(({ event, source }): Reminder => {
    const cause = causes.find((lifted) => lifted === event.kind);
    const lists = removableLists(answer, source);
    const listed =
      cause && event.effect.startsWith('suppress')
        ? reminderOf(source.provider, cause, lists.length > 0)
        : '';
    return listed
      ? { sentence: listed, lists }
      : { sentence: topicReminderOf(event, source.provider, answer), lists: [] };
  });
  const given = reminders.filter(({ sentence }) => sentence !== '');
  const different = new Map(given.map((reminder) => [reminder.sentence, reminder]));
  return given.length > 0 ? (
    <div class="notice warn">
      {[...different.values()].map(({ sentence, lists }) => (
        <p key={sentence}>
          {sentence}
          {lists.map(({ id, name }) => (
            <Fragment key={id}>
              {' '}
              <a href={removalUrl(id, answer.email)}>Remove it from {name}</a>
            </Fragment>
          ))}
        </p>
      ))}
    </div>
  ) : null;
}

/** The provider lists of a source; if it has none, those of its provider that name no source. */
function removableLists(
  { providerLists }: AddressAnswer,
  source: Pick<Source, 'id' | 'provider'>,
): ProviderList[] {
  const lists = providerLists.filter(
    ({ provider, shared }) =>
      provider === source.provider && !shared && listProviderOf(provider).removals.length > 0,
  );
  const own = lists.filter(({ sourceId }) => sourceId === source.id);
  return own.length > 0 ? own : lists.filter(({ sourceId }) => sourceId === null);
}

/** A sentence if the recipient was opted in after this opt-out, but not by a source. Otherwise empty. */
function topicReminderOf(
  { effect, topicId }: StoredEvent,
  provider: string,
  { topics, changes }: AddressAnswer,
): string {
  const last = changes.elements.find((change) => topicId !== null && change.topicId === topicId);
  const name = topics.find(({ topic }) => topic.id === topicId)?.topic.name;
  return effect === 'opt-out' && name && last?.action === 'opted_in' && last.actorType !== 'source'
    ? `${providerLabel(provider)} may still block email about ${name} to this address: subscribe it there again.`
    : '';
}

/** A sentence, or an empty string if the provider keeps no list of such addresses. */
function reminderOf(provider: string, cause: Cause, isCompared: boolean): string {
  if (provider === POSTED_EVENTS) {
    return cause === 'unsubscribe' ? '' : LIST_OF_MAILERS;
  }
  const list = providerNamed(provider)?.suppressionLists[cause] ?? { none: '' };
  return 'none' in list
    ? list.none
    : `${capitalized(list.name)} may still have this address${isCompared ? '.' : `: remove it there (${list.path}).`}`;
}

/** The causes that somebody lifted last. */
function liftedCauses({ record, changes }: AddressAnswer): Cause[] {
  return CAUSES.filter((cause) => {
    const last = changes.elements.find((change) => change.cause === cause);
    const isListed = record?.causes.some((listed) => listed.cause === cause) ?? false;
    return !isListed && (last?.action === 'removed' || last?.action === 'cause_removed');
  });
}
