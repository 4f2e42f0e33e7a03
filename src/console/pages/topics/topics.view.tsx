import type { Subscription, Topic } from '../../../topics/topic.entity.js';
import { Card, Facts } from '../../components/card.js';
import { ConfirmButton } from '../../components/confirmation.js';
import { ConsolePage, type PageProps } from '../../components/console-page.js';
import { CardForm } from '../../components/form.js';
import { Input, Select } from '../../components/inputs.js';
import { ListPage, type List } from '../../components/list-page.js';
import { Timestamp } from '../../components/timestamp.js';
import { canEdit } from '../../people/roles.js';

const VISIBILITIES: Record<Topic['visibility'], string> = {
  public: 'Everybody sees it on the preference page',
  private: 'Only those who opted in see it',
};

const DEFAULTS: Record<Subscription, string> = {
  opt_in: 'Everybody gets it unless they opt out',
  opt_out: 'Only those who opted in',
};

export function TopicsPage({ visitor, list }: PageProps & { list: List<Topic> }) {
  const isEditor = canEdit(visitor);
  return (
    <ListPage
      visitor={visitor}
      title="Topics"
      path="/console/topics"
      createLabel={isEditor && 'Create a topic'}
      intro="A topic is a kind of email that people can opt out of, such as a newsletter. Opting out of one topic leaves all other email as it is."
      list={list}
      columns={{
        Topic: ({ id, name }) => <a href={`/console/topics/${id}`}>{name}</a>,
        Key: ({ key }) => <code>{key}</code>,
        'Who gets it': ({ defaultSubscription }) => DEFAULTS[defaultSubscription],
        Visible: ({ visibility }) => (visibility === 'public' ? 'To everybody' : 'To those opted in'),
        Created: ({ createdAt }) => <Timestamp at={createdAt} />,
      }}
      empty={`No topics yet. Without them, an unsubscribe stops all email but transactional.${isEditor ? ' Create one for each kind of email that recipients should be able to leave alone.' : ''}`}
      footer={
        <p>
          <a href="/console/topics/archived">Archived topics</a>
        </p>
      }
    >
      {isEditor && <CreateCard />}
    </ListPage>
  );
}

function CreateCard() {
  return (
    <CardForm id="create" title="Create a topic" action="/console/topics" submit="Create">
      <Input name="name" label="Name" hint="Recipients see it." maxLength={50} required />
      <Input name="description" label="Description" hint="A description for recipients." maxLength={200} />
      <Input
        name="key"
        label="Key"
        hint="The name of the topic in code. If empty, it is derived from the name."
      />
      <Select
        name="default_subscription"
        label="Who gets it"
        hint="This cannot be changed later."
        choices={DEFAULTS}
      />
      <Select name="visibility" label="Who sees it" choices={VISIBILITIES} />
    </CardForm>
  );
}

export function TopicPage({ visitor, topic }: PageProps & { topic: Topic }) {
  const { name, description, visibility } = topic;
  const path = `/console/topics/${topic.id}`;
  return (
    <ConsolePage visitor={visitor} title={name} section="/console/topics">
      <Card>
        <Facts
          facts={{
            Id: <dd class="mono">{topic.id}</dd>,
            Key: <dd class="mono">{topic.key}</dd>,
            Description: description ?? '–',
            'Who gets it': DEFAULTS[topic.defaultSubscription],
            'Who sees it': VISIBILITIES[visibility],
            Created: <Timestamp at={topic.createdAt} />,
          }}
        />
      </Card>
      {canEdit(visitor) && (
        <>
          <CardForm
            title="Change"
            action={path}
            submit="Save"
            values={{ name, description: description ?? '', visibility }}
          >
            <Input name="name" label="Name" maxLength={50} required />
            <Input name="description" label="Description" maxLength={200} />
            <Select name="visibility" label="Who sees it" choices={VISIBILITIES} />
          </CardForm>
          <Card title="Archive">
            <p>
              An archived topic can no longer be mailed. The choices of recipients and the key are kept, so no
              other topic can have this key.
            </p>
            <ConfirmButton action={`${path}/archive`} label="Archive" confirm={`Archive ${name}`}>
              Until you restore it, checks and new unsubscribe links for {name} are refused; links in emails
              that were sent before keep working.
            </ConfirmButton>
          </Card>
        </>
      )}
    </ConsolePage>
  );
}

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
