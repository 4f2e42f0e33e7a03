import { titleOf } from '../../../imports/import.dto.js';
import type { FoundImport } from '../../../imports/imports.repository.js';
import { ConfirmationPage } from '../../components/confirmation.js';
import type { PageProps } from '../../components/console-page.js';

interface RevertPageProps extends PageProps {
  job: FoundImport;
  /** Whether the account guards removals. */
  isGuarded: boolean;
}

export function RevertPage({ visitor, job, isGuarded }: RevertPageProps) {
  const path = `/console/imports/${job.id}`;
  const { added, strengthened } = job.progress;
  return (
    <ConfirmationPage
      visitor={visitor}
      title="Revert this import?"
      section="/console/imports"
      action={`${path}/revert`}
      submit="Revert this import"
      back={path}
    >
      <p>{titleOf(job)}</p>
      <ul class="steps">
        {job.topicId ? (
          <li>Recipients that it opted out: {added.toLocaleString('en')}.</li>
        ) : (
          <li>
            Addresses that it added: {added.toLocaleString('en')}. Addresses that it gave another cause:{' '}
            {strengthened.toLocaleString('en')}.
          </li>
        )}
        <li>
          Reverting undoes these changes, except where something has changed since. Addresses without another
          cause may be mailed again.
        </li>
        {isGuarded && !job.topicId && (
          <li>
            This includes spam complaints and unsubscribes of the file. Although this account guards removals,
            a revert requires no consent.
          </li>
        )}
        <li>
          A revert can be neither cancelled nor undone. To have the addresses back, import the file again.
        </li>
      </ul>
    </ConfirmationPage>
  );
}
