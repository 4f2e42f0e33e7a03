import { Get, Post } from '@nestjs/common';
import type { HtmlResponse } from '../../http/responses/html-response.js';
import { TopicParam } from '../../topics/operations.js';
import type { TopicRef } from '../../topics/topic-ref.js';
import { CreateTopicDto, UpdateTopicDto } from '../../topics/topic.dto.js';
import type { Subscription, Topic } from '../../topics/topic.entity.js';
import { TopicsService } from '../../topics/topics.service.js';
import { ConsoleController, RequireRole } from '../access/console-controller.decorator.js';
import { CurrentVisit, Done, readAs, readList, submit, type Visit } from '../access/visit.js';
import { Card, Facts, Timestamp } from '../components/content.js';
import { ConsolePage } from '../components/console-page.js';
import { CardForm, changedIn, ConfirmButton, textOf, type Fields } from '../components/form.js';
import { Input, Select } from '../components/inputs.js';
import { ListPage } from '../components/list.js';

const ROWS = 50;

@ConsoleController('topics', 'viewer')
export class TopicsPageController {
  constructor(private readonly topics: TopicsService) {}

  @Get()
  async list(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    const { accountId, isEditor } = visit;
    const list = await readList(visit, ROWS, (cursor) => this.topics.page(accountId, cursor));
    return (
      <ListPage
        visitor={visit}
        title="Topics"
        path="/console/topics"
        createLabel={isEditor && 'Create a topic'}
        intro="A topic is a kind of email that people can opt out of, such as a newsletter. Opting out of one topic leaves all other email as it is."
        list={list}
        columns={{
          Topic: ({ id, name }) => <a href={`/console/topics/${id}`}>{name}</a>,
          Key: ({ key }) => <code>{key}</code>,
          'Who gets it': ({ defaultSubscription }) => DEFAULTS[defaultSubscription],
          Visible: ({ visibility }) => (visibility === 'public' ? 'To everyone' : 'To those opted in'),
          Created: ({ createdAt }) => <Timestamp at={createdAt} />,
        }}
        empty={`No topics yet. Without topics, an unsubscribe stops all email except transactional.${isEditor ? ' Create one for each kind of email that recipients should be able to opt out of.' : ''}`}
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

  @Post()
  @RequireRole('editor')
  create(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return submit(
      visit,
      async () => {
        const topic = (await readAs(CreateTopicDto, visit.form)).toNewTopic();
        const { id } = await this.topics.create(visit.context, topic);
        return new Done(`/console/topics/${id}`, 'Topic created.');
      },
      (refused) => this.list(refused),
    );
  }

  @Get('archived')
  async listArchived(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    const list = await readList(visit, ROWS, (cursor) => this.topics.archivedPage(visit.accountId, cursor));
    return (
      <ListPage
        visitor={visit}
        title="Archived topics"
        section="/console/topics"
        path="/console/topics/archived"
        intro="An archived topic keeps its key and what recipients chose, also by links in emails that were sent before."
        list={list}
        columns={{
          Topic: ({ name }) => name,
          Key: ({ key }) => <code>{key}</code>,
          Archived: ({ archivedAt }) => <Timestamp at={archivedAt} />,
          Restore: visit.isEditor && ((topic) => <RestoreButton topic={topic} />),
        }}
        empty="No archived topics."
      />
    );
  }

  @Get(':topic')
  async show(@CurrentVisit() visit: Visit, @TopicParam ref: TopicRef): Promise<HtmlResponse> {
    const topic = await this.topics.get(visit.accountId, ref);
    const { name, description, visibility } = topic;
    const path = `/console/topics/${topic.id}`;
    return (
      <ConsolePage visitor={visit} title={name} section="/console/topics">
        <Card>
          <Facts
            facts={{
              Id: <dd class="mono">{topic.id}</dd>,
              Key: <dd class="mono">{topic.key}</dd>,
              Description: <bdi>{description ?? '–'}</bdi>,
              'Who gets it': DEFAULTS[topic.defaultSubscription],
              'Who sees it': VISIBILITIES[visibility],
              Created: <Timestamp at={topic.createdAt} />,
            }}
          />
        </Card>
        {visit.isEditor && (
          <>
            <CardForm
              title="Change"
              action={path}
              submit="Save"
              values={{ name, description: description ?? '', visibility }}
              sendsShown
            >
              <Input name="name" label="Name" maxLength={50} required />
              <Input name="description" label="Description" maxLength={200} />
              <Select name="visibility" label="Who sees it" choices={VISIBILITIES} />
            </CardForm>
            <Card title="Archive">
              <p>
                An archived topic can no longer be mailed. The choices of recipients and the key are kept, so
                no other topic can have this key.
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

  @Post(':topic')
  @RequireRole('editor')
  update(@CurrentVisit() visit: Visit, @TopicParam ref: TopicRef): Promise<HtmlResponse> {
    return submit(
      visit,
      async () => {
        const changes = (await changesIn(visit.form)).toChanges();
        const { id } = await this.topics.update(visit.context, ref, changes);
        return new Done(`/console/topics/${id}`, 'Changes saved.');
      },
      (refused) => this.show(refused, ref),
    );
  }

  @Post(':topic/archive')
  @RequireRole('editor')
  async archive(@CurrentVisit() { context }: Visit, @TopicParam ref: TopicRef): Promise<HtmlResponse> {
    await this.topics.archive(context, ref);
    return new Done('/console/topics', 'Topic archived.');
  }

  @Post(':topic/restore')
  @RequireRole('editor')
  async restore(@CurrentVisit() { context }: Visit, @TopicParam ref: TopicRef): Promise<HtmlResponse> {
    const { id } = await this.topics.restore(context, ref);
    return new Done(`/console/topics/${id}`, 'Topic restored.');
  }
}

function changesIn(form: Fields): Promise<UpdateTopicDto> {
  const fields = {
    name: textOf(form, 'name'),
    description: textOf(form, 'description') || null,
    visibility: textOf(form, 'visibility'),
  };
  return readAs(UpdateTopicDto, changedIn(form, fields));
}

const VISIBILITIES: Record<Topic['visibility'], string> = {
  public: 'Everyone sees it on the preference page',
  private: 'Only those who opted in see it',
};

const DEFAULTS: Record<Subscription, string> = {
  opt_in: 'Everyone gets it unless they opt out',
  opt_out: 'Only those who opted in',
};

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
