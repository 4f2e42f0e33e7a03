import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../api-keys/require-scope.decorator.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { ValidationError } from '../http/errors/errors.js';
import { Responds } from '../http/responses/responds.decorator.js';
import { CreateTopicDto } from './dto/create-topic.dto.js';
import { RemovedTopicDto, TopicDto, TopicIdDto, TopicsPageDto } from './dto/topic.dto.js';
import { UpdateTopicDto } from './dto/update-topic.dto.js';
import { TopicArchivedError, TopicKeyTakenError, TopicNotFoundError } from './errors.js';
import * as examples from './examples.js';

const InvalidTopicRef = ValidationError.withExample('topic', 'must be the id or the key of a topic');

export function CreateTopic(): MethodDecorator {
  return applyDecorators(
    RequireScope('topics:write'),
    ApiTags('Topics'),
    ApiOperation({
      operationId: 'createTopic',
      summary: 'Create a topic',
      description: 'A topic is a kind of mail that recipients can opt out of.',
    }),
    ApiBody({ type: CreateTopicDto, examples: examples.CREATE_BODY }),
    Responds(HttpStatus.CREATED, 'The topic was created.', TopicIdDto, examples.TOPIC_ID),
    ApiErrors(
      ValidationError.withExample('name', 'must have 1 to 50 characters'),
      TopicKeyTakenError,
      TopicArchivedError,
    ),
  );
}

export function ListTopics(): MethodDecorator {
  return applyDecorators(
    RequireScope('topics:read'),
    ApiTags('Topics'),
    ApiOperation({ operationId: 'listTopics', summary: 'List the topics', description: 'Newest first.' }),
    Responds(HttpStatus.OK, 'A page of the topics.', TopicsPageDto, examples.TOPICS_PAGE),
    ApiErrors(ValidationError.withExample('limit', 'must be a whole number from 1 to 100')),
  );
}

export function GetTopic(): MethodDecorator {
  return applyDecorators(
    RequireScope('topics:read'),
    ApiTags('Topics'),
    ApiOperation({
      operationId: 'getTopic',
      summary: 'Get a topic',
      description: 'Finds the topic by its id or by its key.',
    }),
    ApiParam(examples.TOPIC_PARAM),
    Responds(HttpStatus.OK, 'The topic.', TopicDto, examples.TOPIC),
    ApiErrors(InvalidTopicRef, TopicNotFoundError),
  );
}

export function UpdateTopic(): MethodDecorator {
  return applyDecorators(
    RequireScope('topics:write'),
    ApiTags('Topics'),
    ApiOperation({
      operationId: 'updateTopic',
      summary: 'Update a topic',
      description:
        'Changes only the fields that are in the request. The key and the default subscription cannot be changed.',
    }),
    ApiParam(examples.TOPIC_PARAM),
    ApiBody({ type: UpdateTopicDto, examples: examples.UPDATE_BODY }),
    Responds(HttpStatus.OK, 'The topic was updated.', TopicIdDto, examples.TOPIC_ID),
    ApiErrors(
      ValidationError.withExample('default_subscription', 'must be left out: it cannot be changed'),
      TopicNotFoundError,
    ),
  );
}

export function RemoveTopic(): MethodDecorator {
  return applyDecorators(
    RequireScope('topics:write'),
    ApiTags('Topics'),
    ApiOperation({
      operationId: 'removeTopic',
      summary: 'Remove a topic',
      description:
        "Archives the topic. Checks that name it get 404. The topic keeps its recipients' choices and its key, which no other topic can use. It can be restored.",
    }),
    ApiParam(examples.TOPIC_PARAM),
    Responds(HttpStatus.OK, 'The topic was archived.', RemovedTopicDto, examples.REMOVED),
    ApiErrors(InvalidTopicRef, TopicNotFoundError),
  );
}

export function RestoreTopic(): MethodDecorator {
  return applyDecorators(
    RequireScope('topics:write'),
    ApiTags('Topics'),
    ApiOperation({
      operationId: 'restoreTopic',
      summary: 'Restore an archived topic',
      description:
        'Restores the topic with the choices of its recipients, including those made since by links in emails. A topic that is not archived does not change.',
    }),
    ApiParam(examples.TOPIC_PARAM),
    Responds(HttpStatus.OK, 'The topic is no longer archived.', TopicDto, examples.TOPIC),
    ApiErrors(InvalidTopicRef, TopicNotFoundError),
  );
}
