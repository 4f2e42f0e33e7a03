import type { JSX } from 'preact';
import type { Topic } from '../../../topics/topic.entity.js';
import { textOf, type Fields } from '../../access/fields.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { Input, Select } from '../../components/form.js';
import { ConfirmButton } from '../../components/confirm-button.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit } from '../../people/roles.js';
import { VISIBILITIES, DEFAULTS } from './topic-words.js';

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
          <dd>{DEFAULTS.find((choice) => choice.value === topic.defaultSubscription)!.label}</dd>
          <dt>Who sees it</dt>
          <dd>{VISIBILITIES.find((choice) => choice.value === topic.visibility)!.label}</dd>
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
              An archived topic can no longer be mailed. The choices of recipients and the key are kept, so no
              other topic can have this key.
            </p>
            <ConfirmButton action={`${path}/archive`} label="Archive" confirm={`Archive ${topic.name}`}>
              Until you restore it, checks and new unsubscribe links for {topic.name} are refused; links in
              emails that were sent before keep working.
            </ConfirmButton>
          </section>
        </>
      )}
    </ConsolePage>
  );
}
