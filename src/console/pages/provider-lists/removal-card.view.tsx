import type { ProviderList } from '../../../provider-lists/provider-list.entity.js';
import { listProviderOf } from '../../../provider-lists/providers/providers.js';
import { CardForm } from '../../components/form.js';
import { TextArea } from '../../components/inputs.js';
import type { PageProps } from '../../components/console-page.js';
import { ConsentFields } from '../search/consent.view.js';
import { mayLiftMany } from '../search/lift-permission.js';

interface RemovalCardProps extends PageProps {
  list: ProviderList;
  /** Whether the account guards removals. */
  isGuarded: boolean;
  /** The address that the form is filled with. */
  email: string;
}

/** The form with which a person confirms what no plan removes. */
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
