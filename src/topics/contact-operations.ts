import { HttpStatus } from '@nestjs/common';
import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import {
  ContactTopicsPageDto,
  ContactTopicsSetDto,
  SetContactTopicsDto,
  SetSubscriptionDto,
} from './contact-topics.dto.js';
import { ContactNotFoundError, OptInNotAllowedError, TopicNotFoundError } from './errors.js';
import * as examples from './operations.js';

export const InvalidContactRef = ValidationError.withExample(
  'contact',
  'must be the id of a contact (a UUID) or an email address: must contain an @',
);

export const contactOperations = operationsOf('Topics', {
  listContactTopics: {
    scope: 'topics:read',
    summary: "List a contact's topics",
    description:
      'Returns all topics, each with the choice of the contact or, without one, the default of the topic. A contact is ' +
      'an address. It gets an id with its first choice.',
    params: [examples.CONTACT_PARAM],
    responds: [HttpStatus.OK, 'A page of the topics.', ContactTopicsPageDto, examples.CONTACT_TOPICS_PAGE],
    errors: [InvalidContactRef, ContactNotFoundError],
  },
  setContactTopics: {
    scope: 'topics:write',
    summary: "Set a contact's topics",
    description:
      'Stores the choices of the recipient, all or none. Topics that are not in the request do not change. In an account ' +
      'that guards removals, an opt-in over an opt-out requires a `consent`.',
    params: [examples.CONTACT_PARAM],
    body: {
      schema: {
        oneOf: [
          { $ref: getSchemaPath(SetContactTopicsDto) },
          { type: 'array', items: { $ref: getSchemaPath(SetSubscriptionDto) } },
        ],
      },
      examples: examples.SET_BODY,
    },
    decorators: [ApiExtraModels(SetContactTopicsDto, SetSubscriptionDto)],
    responds: [HttpStatus.OK, 'The choices are stored.', ContactTopicsSetDto, examples.SET],
    errors: [InvalidContactRef, ContactNotFoundError, TopicNotFoundError, OptInNotAllowedError],
  },
});
