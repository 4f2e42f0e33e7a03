import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { TopicNotFoundError } from '../topics/errors.js';
import { CreateLinksDto, UnsubscribeLinksDto } from './links.dto.js';
import { UnsubscribeLinksUnavailableError, UnsubscribeMailboxMissingError } from './errors.js';

const URL =
  'https://lists.example.com/u/ASZ-cL5VImo0nNXsQvbPFLpMJ58gVv9Lm8Gq0yT1h3Yw7t0tq3m9n5s1kZrQeXv4lKc8uWgk2yV0pJd6ZbQ3Hn1M';

const BODY = {
  'Two recipients': { value: { emails: ['ada@example.com', 'new@example.com'] } },
  'For the mail of a topic': { value: { emails: ['ada@example.com'], topic: 'news' } },
};

const LINKS: UnsubscribeLinksDto = {
  object: 'list',
  data: [
    {
      email: 'ada@example.com',
      url: URL,
      headers: {
        'List-Unsubscribe': `<${URL}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        'List-Id': '<news.1.lists.example.com>',
      },
    },
  ],
};

export const operations = operationsOf('Unsubscribe', {
  createUnsubscribeLinks: {
    scope: 'suppressions:check',
    summary: 'Create unsubscribe links for up to 1,000 recipients',
    description:
      'Returns a separate link for each recipient, with the headers for one-click unsubscribe. Links never expire. The ' +
      'service does not store them, except for `mailto` addresses. Never send the link of one recipient to another.',
    body: { type: CreateLinksDto, examples: BODY },
    responds: [HttpStatus.OK, 'A link for each address.', UnsubscribeLinksDto, LINKS],
    errors: [
      ValidationError.withExample('emails', 'must have at most 1000 email addresses'),
      TopicNotFoundError,
      UnsubscribeLinksUnavailableError,
      UnsubscribeMailboxMissingError,
    ],
  },
});
