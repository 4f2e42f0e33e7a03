import type { JSX } from 'preact';
import type { Page } from '../../../http/page.js';
import type { Topic } from '../../../topics/topic.entity.js';
import { textOf, type Fields } from '../../access/fields.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Input, Select } from '../../components/form.js';
import { Pager, type PageCursor } from '../../components/pager.js';
import { PostButton } from '../../components/post-button.js';
import { Table } from '../../components/table.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit } from '../../people/roles.js';

const VISIBILITIES = [
  { value: 'public', label: 'Everybody sees it on the preference page' },
  { value: 'private', label: 'Only those who opted in see it' },
];
const DEFAULTS = [
  { value: 'opt_in', label: 'Everybody gets it unless they opt out' },
  { value: 'opt_out', label: 'Only those who opted in' },
];

interface TopicsPageProps extends PageProps {
  page: Page<Topic>;
  cursor: PageCursor;
  entered?: Fields;
}

export function TopicsPage({ page, cursor, entered, ...props }: TopicsPageProps): JSX.Element {
  return (
    <ConsolePage {...props} title="Topics" section="/console/topics">
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
              DEFAULTS.find((one) => one.value === defaultSubscription)!.label,
              visibility === 'public' ? 'To everybody' : 'To those opted in',
              <Timestamp key="at" at={createdAt} />,
            ],
          }))}
          empty="There are no topics yet."
        />
        <Pager path="/console/topics" cursor={cursor} page={page} />
      </section>
      {canEdit(props.visitor) && (
        <section class="card">
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
              hint="What recipients can expect."
              maxLength={200}
              value={textOf(entered, 'description')}
            />
            <Input
              name="key"
              label="Key"
              hint="Its name in code. Made from the name if you leave it empty."
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

interface TopicPageProps extends PageProps {
  topic: Topic;
  entered?: Fields;
}

export function TopicPage({ topic, entered, ...props }: TopicPageProps): JSX.Element {
  const path = `/console/topics/${topic.id}`;
  const value = (field: 'name' | 'description' | 'visibility') =>
    entered ? textOf(entered, field) : (topic[field] ?? '');
  return (
    <ConsolePage {...props} title={topic.name} section="/console/topics">
      <section class="card">
        <dl class="facts">
          <dt>Id</dt>
          <dd class="mono">{topic.id}</dd>
          <dt>Key</dt>
          <dd class="mono">{topic.key}</dd>
          <dt>Description</dt>
          <dd>{topic.description ?? '–'}</dd>
          <dt>Who gets it</dt>
          <dd>{DEFAULTS.find((one) => one.value === topic.defaultSubscription)!.label}</dd>
          <dt>Who sees it</dt>
          <dd>{VISIBILITIES.find((one) => one.value === topic.visibility)!.label}</dd>
          <dt>Created</dt>
          <dd>
            <Timestamp at={topic.createdAt} />
          </dd>
        </dl>
      </section>
      {canEdit(props.visitor) && (
        <>
          <section class="card">
            <h2>Change</h2>
            <form class="form" method="post" action={path}>
              <Input name="name" label="Name" maxLength={50} value={value('name')} required />
              <Input name="description" label="Description" maxLength={200} value={value('description')} />
              <Select
                name="visibility"
                label="Who sees it"
                value={value('visibility')}
                choices={VISIBILITIES}
              />
              <button class="primary" type="submit">
                Save
              </button>
            </form>
          </section>
          <section class="card">
            <h2>Archive</h2>
            <p>
              An archived topic can no longer be mailed. What recipients chose is kept, and its key becomes
              free.
            </p>
            <PostButton action={`${path}/archive`} label="Archive this topic" tone="danger" />
          </section>
        </>
      )}
    </ConsolePage>
  );
}
