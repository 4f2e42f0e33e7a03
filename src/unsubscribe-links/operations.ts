import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../api-keys/require-scope.decorator.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { ValidationError } from '../http/errors/errors.js';
import { Responds } from '../http/responses/responds.decorator.js';
import { TopicNotFoundError } from '../topics/errors.js';
import { CreateLinksDto, UnsubscribeLinksDto } from './dto/links.dto.js';
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

export function CreateUnsubscribeLinks(): MethodDecorator {
  return applyDecorators(
    RequireScope('suppressions:read'),
    ApiTags('Unsubscribe'),
    ApiOperation({
      operationId: 'createUnsubscribeLinks',
      summary: 'Create unsubscribe links for up to 1,000 recipients',
      description:
        'Returns a separate link for each recipient, with the headers for one-click unsubscribe. Links never expire. The ' +
        'service does not store them, except for `mailto` addresses. Never send the link of one recipient to another.',
    }),
    ApiBody({ type: CreateLinksDto, examples: BODY }),
    Responds(HttpStatus.OK, 'A link for each address.', UnsubscribeLinksDto, LINKS),
    ApiErrors(
      ValidationError.withExample('emails', 'must have at most 1000 email addresses'),
      TopicNotFoundError,
      UnsubscribeLinksUnavailableError,
      UnsubscribeMailboxMissingError,
    ),
  );
}
