import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import type { Topic } from '../../../topics/topic.entity.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Pager, type PageCursor } from '../../components/pager.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit } from '../../people/roles.js';

interface ArchivedTopicsPageProps extends PageProps {
  page: Page<Topic>;
  cursor: PageCursor;
}

export function ArchivedTopicsPage({ page, cursor, ...props }: ArchivedTopicsPageProps): JSX.Element {
  const isEditor = canEdit(props.visitor);
  return (
    <ConsolePage {...props} title="Archived topics" section="/console/topics">
      <p class="lede">
        An archived topic keeps its key and what recipients chose, also by links in emails that were sent
        before.
      </p>
      <section class="card">
        <Table
          caption="Archived topics"
          columns={['Topic', 'Key', 'Archived', ...(isEditor ? ['Restore'] : [])]}
          rows={page.elements.map(({ id, name, key, archivedAt }) => ({
            key: id,
            cells: [
              name,
              <code key="key">{key}</code>,
              <Timestamp key="at" at={archivedAt!} />,
              ...(isEditor
                ? [
                    <ConfirmButton
                      key="restore"
                      action={`/console/topics/${id}/restore`}
                      label="Restore"
                      confirm={`Restore ${name}`}
                      tone="plain"
                    >
                      {name} can be mailed again, but not to recipients who opted out of it.
                    </ConfirmButton>,
                  ]
                : []),
            ],
          }))}
          empty="No topic is archived."
        />
        <Pager path="/console/topics/archived" cursor={cursor} page={page} />
      </section>
    </ConsolePage>
  );
}
