import type { JSX } from 'preact';
import type { FoundImport } from '../../../imports/imports.repository.js';
import { ConfirmationPage } from '../../components/confirmation-page.js';
import type { PageProps } from '../../components/console-page.js';
import { titleOf } from '../../../imports/import-actor.js';

export function RevertPage({ found, ...props }: PageProps & { found: FoundImport }): JSX.Element {
  const path = `/console/imports/${found.id}`;
  const { added, strengthened } = found.progress;
  return (
    <ConfirmationPage
      {...props}
      title="Revert this import?"
      section="/console/imports"
      action={{ path: `${path}/revert`, label: 'Revert this import' }}
      back={path}
    >
      <p>{titleOf(found)}</p>
      <ul class="steps">
        <li>
          It added {added.toLocaleString('en')} addresses and gave {strengthened.toLocaleString('en')} another
          cause. Those that nobody has changed since are as they were before, and may be mailed again.
        </li>
        <li>
          A revert can be neither cancelled nor undone. To have the addresses back, import the file again.
        </li>
      </ul>
    </ConfirmationPage>
  );
}
