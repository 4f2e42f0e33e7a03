import { POSTED_EVENTS, sourceName } from '../../../audit/actor.js';
import type { Source } from '../../../inbound/sources/source.entity.js';
import { ConfirmationPage } from '../../components/confirmation-page.js';
import type { PageProps } from '../../components/console-page.js';

export function DeleteSourcePage({ visitor, source }: PageProps & { source: Source }) {
  const path = `/console/sources/${source.id}`;
  return (
    <ConfirmationPage
      visitor={visitor}
      title={`Delete ${sourceName(source.name)}?`}
      section="/console/sources"
      action={`${path}/delete`}
      submit="Delete this source"
      back={path}
    >
      <ul class="steps">
        {source.provider === POSTED_EVENTS ? (
          <li>The next events that your mailers post create this source again.</li>
        ) : (
          <li>Its URL stops accepting events. The provider gets 404, and its secrets no longer work.</li>
        )}
        <li>The events that it reported are deleted, and so are its mappings to topics.</li>
        <li>The list keeps its suppressions, opt-outs, and their history, with the name of the source.</li>
      </ul>
      <p>This cannot be undone. To stop a source for a while, pause it instead.</p>
    </ConfirmationPage>
  );
}
