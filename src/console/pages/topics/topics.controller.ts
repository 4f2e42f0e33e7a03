import { Get, Param, Post } from '@nestjs/common';
import type { HtmlResponse } from '../../../http/responses/html-response.js';
import { CreateTopicDto, UpdateTopicDto } from '../../../topics/topic.dto.js';
import { TopicRefPipe, type TopicRef } from '../../../topics/topic-ref.js';
import { TopicsService } from '../../../topics/topics.service.js';
import { ConsoleController, RequireRole } from '../../access/console-controller.decorator.js';
import { CurrentVisit, readAs, readList, type Visit } from '../../access/visit.js';
import { Done, submit } from '../../access/submit.js';
import { ArchivedTopicsPage, TopicPage, TopicsPage } from './topics.view.js';

const ROWS = 50;

@ConsoleController('topics', 'viewer')
export class TopicsPageController {
  constructor(private readonly topics: TopicsService) {}

  @Get()
  async list(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return TopicsPage({
      visitor: visit,
      list: await readList(visit, ROWS, (cursor) => this.topics.page(visit.accountId, cursor)),
    });
  }

  @Post()
  @RequireRole('editor')
  create(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return submit(
      visit,
      async () => {
        const topic = (await readAs(CreateTopicDto, visit.form)).toNewTopic();
        const { id } = await this.topics.create(visit.context, topic);
        return new Done(`/console/topics/${id}`, 'The topic is created.');
      },
      (refused) => this.list(refused),
    );
  }

  @Get('archived')
  async listArchived(@CurrentVisit() visit: Visit): Promise<HtmlResponse> {
    return ArchivedTopicsPage({
      visitor: visit,
      list: await readList(visit, ROWS, (cursor) => this.topics.archivedPage(visit.accountId, cursor)),
    });
  }

  @Get(':topic')
  async show(
    @CurrentVisit() visit: Visit,
    @Param('topic', TopicRefPipe) ref: TopicRef,
  ): Promise<HtmlResponse> {
    return TopicPage({ visitor: visit, topic: await this.topics.get(visit.accountId, ref) });
  }

  @Post(':topic')
  @RequireRole('editor')
  update(@CurrentVisit() visit: Visit, @Param('topic', TopicRefPipe) ref: TopicRef): Promise<HtmlResponse> {
    return submit(
      visit,
      async () => {
        const { description = null, ...changes } = (await readAs(UpdateTopicDto, visit.form)).toChanges();
        const { id } = await this.topics.update(visit.context, ref, { ...changes, description });
        return new Done(`/console/topics/${id}`, 'The changes are saved.');
      },
      (refused) => this.show(refused, ref),
    );
  }

  @Post(':topic/archive')
  @RequireRole('editor')
  async archive(
    @CurrentVisit() { context }: Visit,
    @Param('topic', TopicRefPipe) ref: TopicRef,
  ): Promise<HtmlResponse> {
    await this.topics.archive(context, ref);
    return new Done('/console/topics', 'The topic is archived.');
  }

  @Post(':topic/restore')
  @RequireRole('editor')
  async restore(
    @CurrentVisit() { context }: Visit,
    @Param('topic', TopicRefPipe) ref: TopicRef,
  ): Promise<HtmlResponse> {
    const { id } = await this.topics.restore(context, ref);
    return new Done(`/console/topics/${id}`, 'The topic is restored.');
  }
}
