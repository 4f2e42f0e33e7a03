import type { ContactTopicsPageDto, ContactTopicsSetDto } from './dto/preferences.dto.js';
import type { RemovedTopicDto, TopicDto, TopicIdDto, TopicsPageDto } from './dto/topic.dto.js';

/** The requests run as they are, from the top of the page at /docs to its end: the topic is created first, and archived and restored last. */
const NEWS_ID = '0198a5f3-2b41-7a6e-8c15-7d9e0f1a2b3c';
const CONTACT_ID = 'a4f0c6d2-7f3e-5b1c-9c58-0d2b6e8f4a17';

export const TOPIC_PARAM = {
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

export const TOPIC_ID: TopicIdDto = { object: 'topic', id: NEWS_ID };

export const TOPIC: TopicDto = {
  ...TOPIC_ID,
  key: 'news',
  name: 'News',
  description: 'What is new, once a month',
  default_subscription: 'opt_in',
  visibility: 'public',
  created_at: '2026-01-15T09:30:00.000Z',
};

export const CREATE_BODY = {
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

export const TOPICS_PAGE: TopicsPageDto = { object: 'list', has_more: false, data: [listed] };

export const UPDATE_BODY = {
  'Another description': { value: { description: 'What is new, every Friday' } },
  'Another name': { value: { name: 'Newsletter' } },
};

export const REMOVED: RemovedTopicDto = { ...TOPIC_ID, deleted: true };

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
