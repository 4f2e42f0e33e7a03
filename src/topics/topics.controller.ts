import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { CurrentCaller, type Caller } from '../api-keys/caller.js';
import { allows } from '../api-keys/scopes.js';
import { Context, type RequestContext } from '../audit/request-context.js';
import type { ContactRef } from './contact.js';
import {
  CreateTopicDto,
  RemovedTopicDto,
  TopicCursorDto,
  TopicDto,
  TopicIdDto,
  TopicsPageDto,
  UpdateTopicDto,
} from './topic.dto.js';
import { ContactTopicsPageDto, ContactTopicsSetDto, SetContactTopicsPipe } from './contact-topics.dto.js';
import { ContactParam, operations, TopicParam } from './operations.js';
import { PreferencesService, type RequestedPreferences } from './preferences.service.js';
import type { TopicRef } from './topic-ref.js';
import { TopicsService } from './topics.service.js';

/** Resend's topics, and the topics of its contacts. The order is that of the page at /docs. */
@Controller()
export class TopicsController {
  constructor(
    private readonly topics: TopicsService,
    private readonly preferences: PreferencesService,
  ) {}

  @Post('topics')
  @operations.createTopic
  async create(@Context() context: RequestContext, @Body() body: CreateTopicDto) {
    return new TopicIdDto(await this.topics.create(context, body.toNewTopic()));
  }

  @Get('topics')
  @operations.listTopics
  async list(@CurrentCaller() { accountId }: Caller, @Query() cursor: TopicCursorDto) {
    return new TopicsPageDto(await this.topics.page(accountId, cursor));
  }

  @Get('contacts/:contact/topics')
  @operations.listContactTopics
  async listOfContact(
    @CurrentCaller() { accountId }: Caller,
    @ContactParam contact: ContactRef,
    @Query() cursor: TopicCursorDto,
  ) {
    return new ContactTopicsPageDto(await this.preferences.page(accountId, contact, cursor));
  }

  @Patch('contacts/:contact/topics')
  @operations.setContactTopics
  async setOfContact(
    @CurrentCaller() caller: Caller,
    @Context() context: RequestContext,
    @ContactParam contact: ContactRef,
    @Body(SetContactTopicsPipe) requested: RequestedPreferences,
  ) {
    const { scopes } = caller;
    const mayLift = allows(scopes, 'suppressions:lift');
    return new ContactTopicsSetDto(await this.preferences.set(context, contact, requested, mayLift));
  }

  @Get('topics/:topic')
  @operations.getTopic
  async get(@CurrentCaller() { accountId }: Caller, @TopicParam topic: TopicRef) {
    return new TopicDto(await this.topics.get(accountId, topic));
  }

  @Patch('topics/:topic')
  @operations.updateTopic
  async update(
    @Context() context: RequestContext,
    @TopicParam topic: TopicRef,
    @Body() body: UpdateTopicDto,
  ) {
    return new TopicIdDto(await this.topics.update(context, topic, body.toChanges()));
  }

  @Delete('topics/:topic')
  @operations.removeTopic
  async remove(@Context() context: RequestContext, @TopicParam topic: TopicRef) {
    return new RemovedTopicDto(await this.topics.archive(context, topic));
  }

  @Post('topics/:topic/restore')
  @operations.restoreTopic
  async restore(@Context() context: RequestContext, @TopicParam topic: TopicRef) {
    return new TopicDto(await this.topics.restore(context, topic));
  }
}
