import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { CreateTopicDto } from './dto/create-topic.dto.js';
import { RemovedTopicDto, TopicDto, TopicIdDto, TopicsPageDto } from './dto/topic.dto.js';
import { UpdateTopicDto } from './dto/update-topic.dto.js';
import { TopicArchivedError, TopicKeyTakenError, TopicNotFoundError } from './errors.js';
import * as examples from './examples.js';

const InvalidTopicRef = ValidationError.withExample('topic', 'must be the id or the key of a topic');

export const operations = operationsOf('Topics', {
  createTopic: {
    scope: 'topics:write',
    summary: 'Create a topic',
    description: 'A topic is a kind of mail that recipients can opt out of.',
    body: { type: CreateTopicDto, examples: examples.CREATE_BODY },
    responds: [HttpStatus.CREATED, 'The topic was created.', TopicIdDto, examples.TOPIC_ID],
    errors: [
      ValidationError.withExample('name', 'must have 1 to 50 characters'),
      TopicKeyTakenError,
      TopicArchivedError,
    ],
  },
  listTopics: {
    scope: 'topics:read',
    summary: 'List the topics',
    description: 'Newest first.',
    responds: [HttpStatus.OK, 'A page of the topics.', TopicsPageDto, examples.TOPICS_PAGE],
    errors: [ValidationError.withExample('limit', 'must be a whole number from 1 to 100')],
  },
  getTopic: {
    scope: 'topics:read',
    summary: 'Get a topic',
    description: 'Finds the topic by its id or by its key.',
    params: [examples.TOPIC_PARAM],
    responds: [HttpStatus.OK, 'The topic.', TopicDto, examples.TOPIC],
    errors: [InvalidTopicRef, TopicNotFoundError],
  },
  updateTopic: {
    scope: 'topics:write',
    summary: 'Update a topic',
    description:
      'Changes only the fields that are in the request. The key and the default subscription cannot be changed.',
    params: [examples.TOPIC_PARAM],
    body: { type: UpdateTopicDto, examples: examples.UPDATE_BODY },
    responds: [HttpStatus.OK, 'The topic was updated.', TopicIdDto, examples.TOPIC_ID],
    errors: [
      ValidationError.withExample('default_subscription', 'must be left out: it cannot be changed'),
      TopicNotFoundError,
    ],
  },
  removeTopic: {
    scope: 'topics:write',
    summary: 'Remove a topic',
    description:
      "Archives the topic. Checks that name it get 404. The topic keeps its recipients' choices and its key, which no other topic can use. It can be restored.",
    params: [examples.TOPIC_PARAM],
    responds: [HttpStatus.OK, 'The topic was archived.', RemovedTopicDto, examples.REMOVED],
    errors: [InvalidTopicRef, TopicNotFoundError],
  },
  restoreTopic: {
    scope: 'topics:write',
    summary: 'Restore an archived topic',
    description:
      'Restores the topic with the choices of its recipients, including those made since by links in emails. A topic that is not archived does not change.',
    params: [examples.TOPIC_PARAM],
    responds: [HttpStatus.OK, 'The topic is no longer archived.', TopicDto, examples.TOPIC],
    errors: [InvalidTopicRef, TopicNotFoundError],
  },
});
