import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { Context, type RequestContext } from '../../../audit/request-context.js';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { CreateTopicDto } from '../../../topics/dto/create-topic.dto.js';
import { UpdateTopicDto } from '../../../topics/dto/update-topic.dto.js';
import { TopicRefPipe, type TopicRef } from '../../../topics/topic-ref.js';
import { TopicsService } from '../../../topics/topics.service.js';
import { ConsoleController } from '../../access/console-controller.decorator.js';
import { Done } from '../../access/done.js';
import { cursorIn, readAs, type Fields } from '../../access/fields.js';
import { RequireRole } from '../../access/require-role.decorator.js';
import { submit } from '../../access/submit.js';
import { CurrentVisitor } from '../../access/visitor.js';
import type { PageProps } from '../../components/console-page.js';
import type { Visitor } from '../../people/sessions.service.js';
import { ArchivedTopicsPage } from './archived-topics.view.js';
import { TopicPage } from './topic.view.js';
import { TopicsPage } from './topics.view.js';

const ROWS = 50;

@ConsoleController('topics')
@RequireRole('viewer')
export class TopicsPageController {
  constructor(private readonly topics: TopicsService) {}

  @Get()
  list(@CurrentVisitor() visitor: Visitor, @Query() query: Fields): Promise<HtmlResponse> {
    return this.listPage({ visitor }, query);
  }

  @Post()
  @RequireRole('editor')
  create(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Body() form: Fields = {},
  ): Promise<HtmlResponse> {
    return submit(
      async () => {
        const topic = (await readAs(CreateTopicDto, form)).toNewTopic();
        const { id } = await this.topics.create(context, topic);
        return new Done(`/console/topics/${id}`, 'The topic is created.');
      },
      (problem) => this.listPage({ visitor, problem }, {}, form),
    );
  }

  @Get('archived')
  async listArchived(@CurrentVisitor() visitor: Visitor, @Query() query: Fields): Promise<HtmlResponse> {
    const cursor = await cursorIn(query, ROWS);
    const page = await this.topics.archivedPage(visitor.accountId, cursor);
    return ArchivedTopicsPage({ visitor, page, cursor });
  }

  @Get(':topic')
  async show(
    @CurrentVisitor() visitor: Visitor,
    @Param('topic', TopicRefPipe) ref: TopicRef,
  ): Promise<HtmlResponse> {
    const topic = await this.topics.get(visitor.accountId, ref);
    return TopicPage({ visitor, topic });
  }

  @Post(':topic')
  @RequireRole('editor')
  update(
    @CurrentVisitor() visitor: Visitor,
    @Context() context: RequestContext,
    @Param('topic', TopicRefPipe) ref: TopicRef,
    @Body() form: Fields = {},
  ): Promise<HtmlResponse> {
    return submit(
      async () => {
        const changes = (await readAs(UpdateTopicDto, form)).toChanges();
        const { id } = await this.topics.update(context, ref, {
          ...changes,
          description: changes.description ?? null,
        });
        return new Done(`/console/topics/${id}`, 'The changes are saved.');
      },
      async (problem) =>
        TopicPage({ visitor, problem, topic: await this.topics.get(visitor.accountId, ref), entered: form }),
    );
  }

  @Post(':topic/archive')
  @RequireRole('editor')
  async archive(
    @Context() context: RequestContext,
    @Param('topic', TopicRefPipe) ref: TopicRef,
  ): Promise<HtmlResponse> {
    await this.topics.archive(context, ref);
    return new Done('/console/topics', 'The topic is archived.');
  }

  @Post(':topic/restore')
  @RequireRole('editor')
  async restore(
    @Context() context: RequestContext,
    @Param('topic', TopicRefPipe) ref: TopicRef,
  ): Promise<HtmlResponse> {
    const { id } = await this.topics.restore(context, ref);
    return new Done(`/console/topics/${id}`, 'The topic is restored.');
  }

  private async listPage(props: PageProps, query: Fields, entered?: Fields) {
    const cursor = await cursorIn(query, ROWS);
    const page = await this.topics.page(props.visitor.accountId, cursor);
    return TopicsPage({ ...props, page, cursor, ...(entered && { entered }) });
  }
}
