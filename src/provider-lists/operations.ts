import { applyDecorators, HttpStatus } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../api-keys/require-scope.decorator.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { ValidationError } from '../http/errors/errors.js';
import { Responds } from '../http/responses/responds.decorator.js';
import { NoSecretsKeyError } from '../webhooks/errors.js';
import { ListTestDto } from './dto/list-test.dto.js';
import { CreateProviderListDto, UpdateProviderListDto } from './dto/new-provider-list.dto.js';
import { DeletedProviderListDto, ProviderListDto, ProviderListsPageDto } from './dto/provider-list.dto.js';
import {
  ProviderListNotFoundError,
  ScopeTakenError,
  TooManyProviderListsError,
  UnreadableCredentialsError,
} from './errors.js';
import * as examples from './examples.js';

const InvalidScope = ValidationError.withExample(
  'scope.region',
  'must be a region of AWS, such as eu-west-1',
);
export const InvalidLimit = ValidationError.withExample('limit', 'must be a whole number from 1 to 100');

export const ProviderLists = () => ApiTags('Provider lists');
export const OneList = () =>
  applyDecorators(ProviderLists(), ApiParam(examples.LIST_PARAM), ApiErrors(ProviderListNotFoundError));

export function CreateProviderList(): MethodDecorator {
  return applyDecorators(
    RequireScope('provider-lists:write'),
    ProviderLists(),
    ApiOperation({
      operationId: 'createProviderList',
      summary: 'Create a provider list',
      description:
        'A provider list is the suppression list that one scope of a provider keeps. Plans compare it with the list of the ' +
        'account. Nothing is read before the first plan, and nothing is changed at the provider unless a switch for pushes is on.',
    }),
    ApiBody({ type: CreateProviderListDto, examples: examples.CREATE_BODY }),
    Responds(HttpStatus.CREATED, 'The provider list was created.', ProviderListDto, examples.LIST),
    ApiErrors(InvalidScope, ScopeTakenError, TooManyProviderListsError, NoSecretsKeyError),
  );
}

export function ListProviderLists(): MethodDecorator {
  return applyDecorators(
    RequireScope('provider-lists:read'),
    ProviderLists(),
    ApiOperation({
      operationId: 'listProviderLists',
      summary: 'List the provider lists',
      description: 'Newest first.',
    }),
    Responds(HttpStatus.OK, 'A page of the provider lists.', ProviderListsPageDto, examples.LISTS_PAGE),
    ApiErrors(InvalidLimit),
  );
}

export function GetProviderList(): MethodDecorator {
  return applyDecorators(
    RequireScope('provider-lists:read'),
    OneList(),
    ApiOperation({
      operationId: 'getProviderList',
      summary: 'Get a provider list',
      description: 'The credentials are never returned.',
    }),
    Responds(HttpStatus.OK, 'The provider list.', ProviderListDto, examples.LIST),
  );
}

export function UpdateProviderList(): MethodDecorator {
  return applyDecorators(
    RequireScope('provider-lists:write'),
    OneList(),
    ApiOperation({
      operationId: 'updateProviderList',
      summary: 'Change a provider list',
      description:
        'Fields that are left out stay as they are; provider and scope cannot be changed. A list that stopped because the ' +
        'provider refused its credentials goes on when they are replaced.',
    }),
    ApiBody({ type: UpdateProviderListDto, examples: examples.UPDATE_BODY }),
    Responds(HttpStatus.OK, 'The provider list as it is now.', ProviderListDto, examples.LIST),
    ApiErrors(
      ValidationError.withExample('interval', 'must be from 1h to 30d, in hours or days, such as 6h or 1d'),
      ScopeTakenError,
      NoSecretsKeyError,
      UnreadableCredentialsError,
    ),
  );
}

export function TestProviderList(): MethodDecorator {
  return applyDecorators(
    RequireScope('provider-lists:write'),
    OneList(),
    ApiOperation({
      operationId: 'testProviderList',
      summary: 'Test the credentials of a provider list',
      description:
        'Names each permission that the list needs, and tries those that reading requests need. Nothing is changed at the provider, so ' +
        'the permissions that only changes need are not known.',
    }),
    Responds(HttpStatus.OK, 'What the credentials can do.', ListTestDto, examples.TEST),
    ApiErrors(NoSecretsKeyError, UnreadableCredentialsError),
  );
}

export function DeleteProviderList(): MethodDecorator {
  return applyDecorators(
    RequireScope('provider-lists:write'),
    OneList(),
    ApiOperation({
      operationId: 'deleteProviderList',
      summary: 'Delete a provider list',
      description:
        'Deletes the credentials and the plans. Nothing changes at the provider, and what was pulled stays suppressed.',
    }),
    Responds(HttpStatus.OK, 'The provider list was deleted.', DeletedProviderListDto, examples.DELETED_LIST),
  );
}
