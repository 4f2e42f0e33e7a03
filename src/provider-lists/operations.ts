import { HttpStatus } from '@nestjs/common';
import { operationsOf } from '../api-keys/operations-of.js';
import { ValidationError } from '../http/errors/errors.js';
import { InvalidLimit } from '../http/page.js';
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

export const operations = operationsOf('Provider lists', {
  createProviderList: {
    scope: 'provider-lists:write',
    summary: 'Create a provider list',
    description:
      'A provider list is the suppression list that one scope of a provider keeps. Plans compare it with the list of the ' +
      'account. Nothing is read before the first plan, and nothing is changed at the provider unless a switch for pushes is on.',
    body: { type: CreateProviderListDto, examples: examples.CREATE_BODY },
    responds: [HttpStatus.CREATED, 'The provider list was created.', ProviderListDto, examples.LIST],
    errors: [InvalidScope, ScopeTakenError, TooManyProviderListsError, NoSecretsKeyError],
  },
  listProviderLists: {
    scope: 'provider-lists:read',
    summary: 'List the provider lists',
    description: 'Newest first.',
    responds: [HttpStatus.OK, 'A page of the provider lists.', ProviderListsPageDto, examples.LISTS_PAGE],
    errors: [InvalidLimit],
  },
  getProviderList: {
    scope: 'provider-lists:read',
    summary: 'Get a provider list',
    description: 'The credentials are never returned.',
    params: [examples.LIST_PARAM],
    responds: [HttpStatus.OK, 'The provider list.', ProviderListDto, examples.LIST],
    errors: [ProviderListNotFoundError],
  },
  updateProviderList: {
    scope: 'provider-lists:write',
    summary: 'Change a provider list',
    description:
      'Fields that are left out stay as they are; provider and scope cannot be changed. A list that stopped because the ' +
      'provider refused its credentials goes on when they are replaced.',
    params: [examples.LIST_PARAM],
    body: { type: UpdateProviderListDto, examples: examples.UPDATE_BODY },
    responds: [HttpStatus.OK, 'The provider list as it is now.', ProviderListDto, examples.LIST],
    errors: [
      ProviderListNotFoundError,
      ValidationError.withExample('interval', 'must be from 1h to 30d, in hours or days, such as 6h or 1d'),
      ScopeTakenError,
      NoSecretsKeyError,
      UnreadableCredentialsError,
    ],
  },
  testProviderList: {
    scope: 'provider-lists:write',
    summary: 'Test the credentials of a provider list',
    description:
      'Names each permission that the list needs, and tries those that reading requests need. Nothing is changed at the provider, so ' +
      'the permissions that only changes need are not known.',
    params: [examples.LIST_PARAM],
    responds: [HttpStatus.OK, 'What the credentials can do.', ListTestDto, examples.TEST],
    errors: [ProviderListNotFoundError, NoSecretsKeyError, UnreadableCredentialsError],
  },
  deleteProviderList: {
    scope: 'provider-lists:write',
    summary: 'Delete a provider list',
    description:
      'Deletes the credentials and the plans. Nothing changes at the provider, and what was pulled stays suppressed.',
    params: [examples.LIST_PARAM],
    responds: [
      HttpStatus.OK,
      'The provider list was deleted.',
      DeletedProviderListDto,
      examples.DELETED_LIST,
    ],
    errors: [ProviderListNotFoundError],
  },
});
