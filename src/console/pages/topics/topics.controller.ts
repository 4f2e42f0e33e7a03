import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { Deadline } from '../../../http/deadline.js';
import { SeeOther, type HtmlResponse } from '../../../http/html-response.js';
import { CreateTopicDto, UpdateTopicDto } from '../../../topics/dto/topic.dto.js';
import { TopicRefPipe, type TopicRef } from '../../../topics/topic-ref.js';
import { TopicsService } from '../../../topics/topics.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { cursorIn, doneIn, readAs, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { actorOf, CurrentVisitor } from '../../access/visitor.js';
import type { PageProps } from '../../components/console-page.js';
import type { Visitor } from '../../people/sessions.service.js';
import { TopicPage, TopicsPage } from './topics.view.js';

const ROWS = 50;
const DONE: Record<string, string> = {
  archived: 'The topic is archived.',
  created: 'The topic is created.',
  saved: 'The changes are saved.',
};

@ConsoleController('topics')
@RequireRole('viewer')
export class TopicsPageController {
  constructor(private readonly topics: TopicsService) {}

  @Get()
  list(@CurrentVisitor() visitor: Visitor, @Query() query: Fields): Promise<HtmlResponse> {
    return this.listPage({ visitor, done: doneIn(query, DONE) }, query);
  }

  @Post()
  @RequireRole('editor')
  create(
    @CurrentVisitor() visitor: Visitor,
    @Deadline() deadline: number,
    @Body() form: Fields = {},
  ): Promise<HtmlResponse> {
    return submit(
      async () => {
        const topic = (await readAs(CreateTopicDto, form)).toNewTopic();
        const { id } = await this.topics.create(visitor.accountId, actorOf(visitor), topic, deadline);
        return new SeeOther(`/console/topics/${id}?done=created`);
      },
      (problem) => this.listPage({ visitor, problem }, {}, form),
    );
  }

  @Get(':topic')
  async show(
    @CurrentVisitor() visitor: Visitor,
    @Param('topic', TopicRefPipe) ref: TopicRef,
    @Query() query: Fields,
  ): Promise<HtmlResponse> {
    const topic = await this.topics.get(visitor.accountId, ref);
    return TopicPage({ visitor, topic, done: doneIn(query, DONE) });
  }

  @Post(':topic')
  @RequireRole('editor')
  update(
    @CurrentVisitor() visitor: Visitor,
    @Deadline() deadline: number,
    @Param('topic', TopicRefPipe) ref: TopicRef,
    @Body() form: Fields = {},
  ): Promise<HtmlResponse> {
    return submit(
      async () => {
        const changes = (await readAs(UpdateTopicDto, form)).toChanges();
        const { id } = await this.topics.update(
          visitor.accountId,
          actorOf(visitor),
          ref,
          { ...changes, description: changes.description ?? null },
          deadline,
        );
        return new SeeOther(`/console/topics/${id}?done=saved`);
      },
      async (problem) =>
        TopicPage({ visitor, problem, topic: await this.topics.get(visitor.accountId, ref), entered: form }),
    );
  }

  @Post(':topic/archive')
  @RequireRole('editor')
  async archive(
    @CurrentVisitor() visitor: Visitor,
    @Deadline() deadline: number,
    @Param('topic', TopicRefPipe) ref: TopicRef,
  ): Promise<HtmlResponse> {
    await this.topics.archive(visitor.accountId, actorOf(visitor), ref, deadline);
    return new SeeOther('/console/topics?done=archived');
  }

  private async listPage(props: PageProps, query: Fields, entered?: Fields) {
    const cursor = await cursorIn(query, ROWS);
    const page = await this.topics.page(props.visitor.accountId, cursor);
    return TopicsPage({ ...props, page, cursor, ...(entered && { entered }) });
  }
}
