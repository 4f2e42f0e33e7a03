import { HttpStatus } from '@nestjs/common';
import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { pathParam } from '../http/path-param.js';
import { exampleOf } from '../http/responses/response.decorators.js';
import { ContactRefPipe } from './contact.js';
import {
  ContactTopicsPageDto,
  ContactTopicsSetDto,
  SetContactTopicsDto,
  SetSubscriptionDto,
} from './contact-topics.dto.js';
import {
  ContactNotFoundError,
  OptInNotAllowedError,
  TooManyTopicsError,
  TopicArchivedError,
  TopicKeyTakenError,
  TopicNotFoundError,
} from './errors.js';
import {
  CreateTopicDto,
  RemovedTopicDto,
  TopicDto,
  TopicIdDto,
  TopicRefPipe,
  TopicsPageDto,
  UpdateTopicDto,
} from './topic.dto.js';

/**
 * The requests run as they are, from the top of the page at /docs to its end: the topic is created first, and archived and
 * restored last.
 */
export const TopicParam = pathParam({
  name: 'topic',
  pipe: TopicRefPipe,
  description: 'The id or the key of the topic.',
  example: 'news',
  errors: [ValidationError.withExample('topic', 'must be the id or the key of a topic'), TopicNotFoundError],
});

export const CONTACT_PARAM = {
  name: 'contact',
  pipe: ContactRefPipe,
  description: 'An address, percent-encoded, or the id of a contact.',
  example: 'ada@example.com',
  errors: [
    ValidationError.withExample(
      'contact',
      'must be the id of a contact (a UUID) or an email address: it must contain an @',
    ),
    ContactNotFoundError,
  ],
};

export const ContactParam = pathParam(CONTACT_PARAM);

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
  'Only for those who opted in': { value: { name: 'Beta program', default_subscription: 'opt_out' } },
};

const UPDATE_BODY = {
  'Another description': { value: { description: 'What is new, every Friday' } },
  'Another name': { value: { name: 'Newsletter' } },
};

const SET_BODY = {
  'Opt out of a topic': { value: { topics: [{ id: 'news', subscription: 'opt_out' }] } },
  'Opt in again, with a consent, for an account that guards removals': {
    value: {
      topics: [{ id: 'news', subscription: 'opt_in' }],
      consent: { kind: 'recipient_request', reference: 'Preference page, 2026-01-15' },
    },
  },
  'As the official clients send it': { value: [{ id: 'news', subscription: 'opt_in' }] },
};

const CONTACT_ID = 'a4f0c6d2-7f3e-5b1c-9c58-0d2b6e8f4a17';
const SET = exampleOf(ContactTopicsSetDto, { id: CONTACT_ID, contact_id: CONTACT_ID });

const [CONTACT_TOPIC] = exampleOf(ContactTopicsPageDto).data;
const CONTACT_TOPICS_PAGE = exampleOf(ContactTopicsPageDto, {
  data: [{ ...CONTACT_TOPIC!, subscription: 'opt_in' }],
});

export const operations = operationsOf('Topics', {
  createTopic: {
    scope: 'topics:write',
    summary: 'Create a topic',
    description:
      'A topic is a kind of mail that recipients can opt out of. An account has at most 10,000, archived ones not counted.',
    body: { type: CreateTopicDto, examples: CREATE_BODY },
    responds: [HttpStatus.CREATED, 'The topic was created.', TopicIdDto],
    errors: [
      ValidationError.withExample('name', 'must have 1 to 50 characters'),
      TopicKeyTakenError,
      TopicArchivedError,
      TooManyTopicsError,
    ],
  },
  listTopics: {
    scope: 'topics:read',
    summary: 'List the topics',
    description: 'Newest first.',
    responds: [HttpStatus.OK, 'A page of the topics.', TopicsPageDto],
  },
  getTopic: {
    scope: 'topics:read',
    summary: 'Get a topic',
    description: 'Finds the topic by its id or by its key.',
    responds: [HttpStatus.OK, 'The topic.', TopicDto],
  },
  updateTopic: {
    scope: 'topics:write',
    summary: 'Update a topic',
    description:
      'Changes only the fields that are in the request. The key and the default subscription cannot be changed.',
    body: { type: UpdateTopicDto, examples: UPDATE_BODY },
    responds: [HttpStatus.OK, 'The topic was updated.', TopicIdDto],
    errors: [ValidationError.withExample('default_subscription', 'must be left out: it cannot be changed')],
  },
  removeTopic: {
    scope: 'topics:write',
    summary: 'Remove a topic',
    description:
      "Archives the topic. Checks that name it get 404. The topic keeps its recipients' choices and its key, which no other topic can use. It can be restored.",
    responds: [HttpStatus.OK, 'The topic was archived.', RemovedTopicDto],
  },
  restoreTopic: {
    scope: 'topics:write',
    summary: 'Restore an archived topic',
    description:
      'Restores the topic with the choices of its recipients, including those made since by links in emails. A topic that is not archived does not change.',
    responds: [HttpStatus.OK, 'The topic is no longer archived.', TopicDto],
    errors: [TooManyTopicsError],
  },
  listContactTopics: {
    scope: 'topics:read',
    summary: "List a contact's topics",
    description:
      'Returns all topics, each with the choice of the contact or, without one, the default of the topic. A contact is ' +
      'an address.',
    responds: [HttpStatus.OK, 'A page of the topics.', ContactTopicsPageDto, CONTACT_TOPICS_PAGE],
  },
  setContactTopics: {
    scope: 'topics:write',
    summary: "Set a contact's topics",
    description:
      'Stores the choices of the recipient, all or none. Topics that are not in the request do not change. In an account ' +
      'that guards removals, an opt-in over an opt-out requires a `consent`.',
    body: {
      schema: {
        oneOf: [
          { $ref: getSchemaPath(SetContactTopicsDto) },
          { type: 'array', items: { $ref: getSchemaPath(SetSubscriptionDto) } },
        ],
      },
      examples: SET_BODY,
    },
    decorators: [ApiExtraModels(SetContactTopicsDto, SetSubscriptionDto)],
    responds: [HttpStatus.OK, 'The choices are stored.', ContactTopicsSetDto, SET],
    errors: [TopicNotFoundError, OptInNotAllowedError],
  },
});
