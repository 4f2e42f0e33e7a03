import type { Topic } from '../../../topics/topic.entity.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import type { PageProps } from '../../components/console-page.js';
import { ListPage, type List } from '../../components/list-page.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit } from '../../people/roles.js';

export function ArchivedTopicsPage({ visitor, list }: PageProps & { list: List<Topic> }) {
  return (
    <ListPage
      visitor={visitor}
      title="Archived topics"
      section="/console/topics"
      path="/console/topics/archived"
      intro="An archived topic keeps its key and what recipients chose, also by links in emails that were sent before."
      list={list}
      columns={{
        Topic: ({ name }) => name,
        Key: ({ key }) => <code>{key}</code>,
        Archived: ({ archivedAt }) => <Timestamp at={archivedAt} />,
        Restore: canEdit(visitor) && ((topic) => <RestoreButton topic={topic} />),
      }}
      empty="No topic is archived."
    />
  );
}

function RestoreButton({ topic: { id, name } }: { topic: Topic }) {
  return (
    <ConfirmButton
      action={`/console/topics/${id}/restore`}
      label="Restore"
      confirm={`Restore ${name}`}
      tone="plain"
    >
      {name} can be mailed again, but not to recipients who opted out of it.
    </ConfirmButton>
  );
}
