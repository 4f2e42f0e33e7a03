import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { actorOfCaller, CurrentCaller, type Caller } from '../api-keys/caller.js';
import { allows } from '../api-keys/scopes.js';
import { Deadline } from '../http/requests/deadline.js';
import { ContactRefPipe, type ContactRef } from './contact.js';
import { CreateTopicDto } from './dto/create-topic.dto.js';
import { ContactTopicsPageDto, ContactTopicsSetDto } from './dto/preferences.dto.js';
import { SetContactTopicsPipe } from './dto/set-contact-topics.dto.js';
import { RemovedTopicDto, TopicCursorDto, TopicDto, TopicIdDto, TopicsPageDto } from './dto/topic.dto.js';
import { UpdateTopicDto } from './dto/update-topic.dto.js';
import * as operations from './operations.js';
import * as contactOperations from './contact-operations.js';
import { PreferencesService, type RequestedPreferences } from './preferences.service.js';
import { TopicRefPipe, type TopicRef } from './topic-ref.js';
import { TopicsService } from './topics.service.js';

/** Resend's topics, and the topics of its contacts. The order is that of the page at /docs. */
@Controller()
export class TopicsController {
  constructor(
    private readonly topics: TopicsService,
    private readonly preferences: PreferencesService,
  ) {}

  @Post('topics')
  @operations.CreateTopic()
  async create(
    @CurrentCaller() caller: Caller,
    @Deadline() deadline: number,
    @Body() body: CreateTopicDto,
  ): Promise<TopicIdDto> {
    const { accountId } = caller;
    return new TopicIdDto(
      await this.topics.create(accountId, actorOfCaller(caller), body.toNewTopic(), deadline),
    );
  }

  @Get('topics')
  @operations.ListTopics()
  async list(
    @CurrentCaller() { accountId }: Caller,
    @Query() cursor: TopicCursorDto,
  ): Promise<TopicsPageDto> {
    return new TopicsPageDto(await this.topics.page(accountId, cursor));
  }

  @Get('contacts/:contact/topics')
  @contactOperations.ListContactTopics()
  async listOfContact(
    @CurrentCaller() { accountId }: Caller,
    @Param('contact', ContactRefPipe) contact: ContactRef,
    @Query() cursor: TopicCursorDto,
  ): Promise<ContactTopicsPageDto> {
    return new ContactTopicsPageDto(await this.preferences.page(accountId, contact, cursor));
  }

  @Patch('contacts/:contact/topics')
  @contactOperations.SetContactTopics()
  async setOfContact(
    @CurrentCaller() caller: Caller,
    @Deadline() deadline: number,
    @Param('contact', ContactRefPipe) contact: ContactRef,
    @Body(SetContactTopicsPipe) requested: RequestedPreferences,
  ): Promise<ContactTopicsSetDto> {
    const { accountId, scopes } = caller;
    const mayLift = allows(scopes, 'suppressions:lift');
    return new ContactTopicsSetDto(
      await this.preferences.set(accountId, actorOfCaller(caller), contact, requested, mayLift, deadline),
    );
  }

  @Get('topics/:topic')
  @operations.GetTopic()
  async get(
    @CurrentCaller() { accountId }: Caller,
    @Param('topic', TopicRefPipe) topic: TopicRef,
  ): Promise<TopicDto> {
    return new TopicDto(await this.topics.get(accountId, topic));
  }

  @Patch('topics/:topic')
  @operations.UpdateTopic()
  async update(
    @CurrentCaller() caller: Caller,
    @Deadline() deadline: number,
    @Param('topic', TopicRefPipe) topic: TopicRef,
    @Body() body: UpdateTopicDto,
  ): Promise<TopicIdDto> {
    const { accountId } = caller;
    return new TopicIdDto(
      await this.topics.update(accountId, actorOfCaller(caller), topic, body.toChanges(), deadline),
    );
  }

  @Delete('topics/:topic')
  @operations.RemoveTopic()
  async remove(
    @CurrentCaller() caller: Caller,
    @Deadline() deadline: number,
    @Param('topic', TopicRefPipe) topic: TopicRef,
  ): Promise<RemovedTopicDto> {
    const { accountId } = caller;
    return new RemovedTopicDto(await this.topics.archive(accountId, actorOfCaller(caller), topic, deadline));
  }

  @Post('topics/:topic/restore')
  @operations.RestoreTopic()
  async restore(
    @CurrentCaller() caller: Caller,
    @Deadline() deadline: number,
    @Param('topic', TopicRefPipe) topic: TopicRef,
  ): Promise<TopicDto> {
    const { accountId } = caller;
    return new TopicDto(await this.topics.restore(accountId, actorOfCaller(caller), topic, deadline));
  }
}
