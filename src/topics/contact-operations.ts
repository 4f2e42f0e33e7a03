import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOperation, ApiParam, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { RequireScope } from '../api-keys/require-scope.decorator.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { ValidationError } from '../http/errors/errors.js';
import { Responds } from '../http/responses/responds.decorator.js';
import { ContactTopicsPageDto, ContactTopicsSetDto } from './dto/preferences.dto.js';
import { SetContactTopicsDto, SetSubscriptionDto } from './dto/set-contact-topics.dto.js';
import { ContactNotFoundError, OptInNotAllowedError, TopicNotFoundError } from './errors.js';
import * as examples from './examples.js';

export const InvalidContactRef = ValidationError.withExample(
  'contact',
  'must be the id of a contact (a UUID) or an email address: must contain an @',
);

export function ListContactTopics(): MethodDecorator {
  return applyDecorators(
    RequireScope('topics:read'),
    ApiTags('Topics'),
    ApiOperation({
      operationId: 'listContactTopics',
      summary: "List a contact's topics",
      description:
        'Returns all topics, each with the choice of the contact or, without one, the default of the topic. A contact is ' +
        'an address. It gets an id with its first choice.',
    }),
    ApiParam(examples.CONTACT_PARAM),
    Responds(HttpStatus.OK, 'A page of the topics.', ContactTopicsPageDto, examples.CONTACT_TOPICS_PAGE),
    ApiErrors(InvalidContactRef, ContactNotFoundError),
  );
}

export function SetContactTopics(): MethodDecorator {
  return applyDecorators(
    RequireScope('topics:write'),
    ApiTags('Topics'),
    ApiOperation({
      operationId: 'setContactTopics',
      summary: "Set a contact's topics",
      description:
        'Stores the choices of the recipient, all or none. Topics that are not in the request do not change. In an account ' +
        'that guards removals, an opt-in over an opt-out requires a `consent`.',
    }),
    ApiParam(examples.CONTACT_PARAM),
    ApiExtraModels(SetContactTopicsDto, SetSubscriptionDto),
    ApiBody({
      schema: {
        oneOf: [
          { $ref: getSchemaPath(SetContactTopicsDto) },
          { type: 'array', items: { $ref: getSchemaPath(SetSubscriptionDto) } },
        ],
      },
      examples: examples.SET_BODY,
    }),
    Responds(HttpStatus.OK, 'The choices are stored.', ContactTopicsSetDto, examples.SET),
    ApiErrors(InvalidContactRef, ContactNotFoundError, TopicNotFoundError, OptInNotAllowedError),
  );
}
