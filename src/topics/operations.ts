import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { InvalidLimit } from '../http/page.js';
import type { ContactTopicsPageDto, ContactTopicsSetDto } from './contact-topics.dto.js';
import { TopicArchivedError, TopicKeyTakenError, TopicNotFoundError } from './errors.js';
import { CreateTopicDto, UpdateTopicDto } from './topic-requests.dto.js';
import { RemovedTopicDto, TopicDto, TopicIdDto, TopicsPageDto } from './topic.dto.js';

/**
 * The requests run as they are, from the top of the page at /docs to its end: the topic is created first, and archived and
 * restored last.
 */
const NEWS_ID = '0198a5f3-2b41-7a6e-8c15-7d9e0f1a2b3c';
const CONTACT_ID = 'a4f0c6d2-7f3e-5b1c-9c58-0d2b6e8f4a17';

const TOPIC_PARAM = {
  name: 'topic',
  type: String,
  description: 'The id or the key of the topic.',
  example: 'news',
};

export const CONTACT_PARAM = {
  name: 'contact',
  type: String,
  description: 'An address, percent-encoded, or the id of a contact.',
  example: 'ada@example.com',
};

const TOPIC_ID: TopicIdDto = { object: 'topic', id: NEWS_ID };

const TOPIC: TopicDto = {
  ...TOPIC_ID,
  key: 'news',
  name: 'News',
  description: 'What is new, once a month',
  default_subscription: 'opt_in',
  visibility: 'public',
  created_at: '2026-01-15T09:30:00.000Z',
};

const CREATE_BODY = {
  'A newsletter': {
    value: {
      name: 'News',
      key: 'news',
      description: 'What is new, once a month',
      default_subscription: 'opt_in',
      visibility: 'public',
    },
  },
  'Only for those who opted in': { value: { name: 'Beta programme', default_subscription: 'opt_out' } },
};

const { object: _object, ...listed } = TOPIC;

const TOPICS_PAGE: TopicsPageDto = { object: 'list', has_more: false, data: [listed] };

const UPDATE_BODY = {
  'Another description': { value: { description: 'What is new, every Friday' } },
  'Another name': { value: { name: 'Newsletter' } },
};

const REMOVED: RemovedTopicDto = { ...TOPIC_ID, deleted: true };

export const SET_BODY = {
  'Opt out of a topic': { value: { topics: [{ id: 'news', subscription: 'opt_out' }] } },
  'Opt in again, with a consent, for an account that guards removals': {
    value: {
      topics: [{ id: 'news', subscription: 'opt_in' }],
      consent: { kind: 'recipient_request', reference: 'Preference page, 2026-01-15' },
    },
  },
  'As the official clients send it': { value: [{ id: 'news', subscription: 'opt_in' }] },
};

export const SET: ContactTopicsSetDto = {
  object: 'contact_topics',
  id: CONTACT_ID,
  contact_id: CONTACT_ID,
  topics: [{ id: NEWS_ID, subscription: 'opt_out' }],
};

export const CONTACT_TOPICS_PAGE: ContactTopicsPageDto = {
  object: 'list',
  has_more: false,
  data: [
    {
      id: NEWS_ID,
      subscription: 'opt_in',
      key: 'news',
      name: 'News',
      description: 'What is new, once a month',
      created_at: TOPIC.created_at,
    },
  ],
};

const InvalidTopicRef = ValidationError.withExample('topic', 'must be the id or the key of a topic');

export const operations = operationsOf('Topics', {
  createTopic: {
    scope: 'topics:write',
    summary: 'Create a topic',
    description: 'A topic is a kind of mail that recipients can opt out of.',
    body: { type: CreateTopicDto, examples: CREATE_BODY },
    responds: [HttpStatus.CREATED, 'The topic was created.', TopicIdDto, TOPIC_ID],
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
    responds: [HttpStatus.OK, 'A page of the topics.', TopicsPageDto, TOPICS_PAGE],
    errors: [InvalidLimit],
  },
  getTopic: {
    scope: 'topics:read',
    summary: 'Get a topic',
    description: 'Finds the topic by its id or by its key.',
    params: [TOPIC_PARAM],
    responds: [HttpStatus.OK, 'The topic.', TopicDto, TOPIC],
    errors: [InvalidTopicRef, TopicNotFoundError],
  },
  updateTopic: {
    scope: 'topics:write',
    summary: 'Update a topic',
    description:
      'Changes only the fields that are in the request. The key and the default subscription cannot be changed.',
    params: [TOPIC_PARAM],
    body: { type: UpdateTopicDto, examples: UPDATE_BODY },
    responds: [HttpStatus.OK, 'The topic was updated.', TopicIdDto, TOPIC_ID],
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
    params: [TOPIC_PARAM],
    responds: [HttpStatus.OK, 'The topic was archived.', RemovedTopicDto, REMOVED],
    errors: [InvalidTopicRef, TopicNotFoundError],
  },
  restoreTopic: {
    scope: 'topics:write',
    summary: 'Restore an archived topic',
    description:
      'Restores the topic with the choices of its recipients, including those made since by links in emails. A topic that is not archived does not change.',
    params: [TOPIC_PARAM],
    responds: [HttpStatus.OK, 'The topic is no longer archived.', TopicDto, TOPIC],
    errors: [InvalidTopicRef, TopicNotFoundError],
  },
});
