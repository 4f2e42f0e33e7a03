import type { ListRemoval, ListRemovalStatus } from '../../../provider-lists/push/list-removals.service.js';
import type { ProviderList } from '../../../provider-lists/provider-list.entity.js';
import { listProviderOf } from '../../../provider-lists/providers/providers.js';
import { CardForm } from '../../components/form.js';
import { TextArea } from '../../components/inputs.js';
import type { PageProps } from '../../components/console-page.js';
import { ConsentFields, mayLiftMany } from '../../components/consent.js';

const SENTENCES: Readonly<Record<ListRemovalStatus, string>> = {
  queued: 'The provider is being asked to remove',
  suppressed: 'Still suppressed here, so lift first',
  erased: 'Erased here, so remove at the provider',
  cannot: 'The provider does not allow the removal of',
  compare_first: 'No plan has read an entry of these addresses, so compare first, and confirm again',
};

interface RemovalCardProps extends PageProps {
  list: ProviderList;
  /** Whether the account guards removals. */
  isGuarded: boolean;
  /** The address with which the form is filled in. */
  email: string;
}

/** A form to confirm a removal that no plan makes. */
export function RemovalCard({ visitor, list, isGuarded, email }: RemovalCardProps) {
  const canRemove = !list.shared && listProviderOf(list.provider).removals.length > 0;
  return canRemove && mayLiftMany(visitor, isGuarded) ? (
    <CardForm
      id="remove"
      title="Remove at the provider"
      action={`/console/provider-lists/${list.id}/removals`}
      submit="Remove at the provider"
      tone="danger"
      values={{ emails: email }}
    >
      <p>
        Afterwards, the provider accepts mail to these addresses again, whatever it listed them for. Lift them
        here first. For complaints and unsubscribes, this is the only way.
      </p>
      <TextArea name="emails" label="Addresses" hint="One on each line, at most 100." required />
      <ConsentFields id="remove" label="Evidence for removing" required />
    </CardForm>
  ) : null;
}

/** The URL of the form, filled in. */
export function removalUrl(listId: string, email: string): string {
  return `/console/provider-lists/${listId}?${new URLSearchParams({ email })}#remove`;
}

/** A cookie has room for these addresses of each status. */
const MAX_NAMED = 10;

/** What happened to the addresses of the form. */
export function sentencesAbout(removals: ListRemoval[]): string {
  return Object.entries(SENTENCES)
    .flatMap(([status, sentence]) => {
      const emails = removals.filter((removal) => removal.status === status).map(({ email }) => email);
      const others = emails.length > MAX_NAMED ? ` and ${emails.length - MAX_NAMED} more` : '';
      return emails.length > 0 ? [`${sentence}: ${emails.slice(0, MAX_NAMED).join(', ')}${others}.`] : [];
    })
    .join(' ');
}
