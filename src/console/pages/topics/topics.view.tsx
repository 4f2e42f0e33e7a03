import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import type { Topic } from '../../../topics/topic.entity.js';
import { textOf, type Fields } from '../../access/fields.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Input, Select } from '../../components/form.js';
import { Pager, type PageCursor } from '../../components/pager.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit } from '../../people/roles.js';
import { VISIBILITIES, DEFAULTS } from './topic-words.js';

interface TopicsPageProps extends PageProps {
  page: Page<Topic>;
  cursor: PageCursor;
  entered?: Fields;
}

export function TopicsPage({ page, cursor, entered, ...props }: TopicsPageProps): JSX.Element {
  const isEditor = canEdit(props.visitor);
  return (
    <ConsolePage
      {...props}
      title="Topics"
      section="/console/topics"
      actions={
        isEditor && (
          <a class="button" href="#create">
            Create a topic
          </a>
        )
      }
    >
      <p class="lede">
        A topic is a kind of email that people can opt out of, such as a newsletter. Opting out of one topic
        leaves all other email as it is.
      </p>
      <section class="card">
        <Table
          caption="Topics"
          columns={['Topic', 'Key', 'Who gets it', 'Visible', 'Created']}
          rows={page.elements.map(({ id, name, key, defaultSubscription, visibility, createdAt }) => ({
            key: id,
            cells: [
              <a key="name" href={`/console/topics/${id}`}>
                {name}
              </a>,
              <code key="key">{key}</code>,
              DEFAULTS.find((choice) => choice.value === defaultSubscription)!.label,
              visibility === 'public' ? 'To everybody' : 'To those opted in',
              <Timestamp key="at" at={createdAt} />,
            ],
          }))}
          empty={`No topics yet. Without them, an unsubscribe stops all email but transactional.${isEditor ? ' Create one for each kind of email that recipients should be able to leave alone.' : ''}`}
        />
        <Pager path="/console/topics" cursor={cursor} page={page} />
        <p>
          <a href="/console/topics/archived">Archived topics</a>
        </p>
      </section>
      {isEditor && (
        <section class="card" id="create">
          <h2>Create a topic</h2>
          <form class="form" method="post" action="/console/topics">
            <Input
              name="name"
              label="Name"
              hint="Recipients see it."
              maxLength={50}
              value={textOf(entered, 'name')}
              required
            />
            <Input
              name="description"
              label="Description"
              hint="A description for recipients."
              maxLength={200}
              value={textOf(entered, 'description')}
            />
            <Input
              name="key"
              label="Key"
              hint="The name of the topic in code. If empty, it is derived from the name."
              value={textOf(entered, 'key')}
            />
            <Select
              name="default_subscription"
              label="Who gets it"
              hint="This cannot be changed later."
              value={textOf(entered, 'default_subscription')}
              choices={DEFAULTS}
            />
            <Select
              name="visibility"
              label="Who sees it"
              value={textOf(entered, 'visibility')}
              choices={VISIBILITIES}
            />
            <button class="primary" type="submit">
              Create
            </button>
          </form>
        </section>
      )}
    </ConsolePage>
  );
}
