import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiTags, type ApiOperationOptions } from '@nestjs/swagger';
import type { DocumentedError } from '../http/errors/api-error.js';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { Responds } from '../http/responses/responds.decorator.js';
import { Route, type RouteOptions } from '../http/route-options.js';
import { RequireScope } from './require-scope.decorator.js';
import type { Scope } from './scopes.js';

interface Operation {
  scope: Scope;
  summary: string;
  description?: string;
  /** A body that is not JSON. */
  requestBody?: ApiOperationOptions['requestBody'];
  route?: Partial<RouteOptions>;
  /** The parameters in the path. */
  params?: Parameters<typeof ApiParam>[0][];
  body?: Parameters<typeof ApiBody>[0];
  /** The status, description, DTO, and example of the response. */
  responds?: Parameters<typeof Responds>;
  /** The errors of this operation, besides those of all operations with a scope. */
  errors?: DocumentedError[];
  /** Applied before the response and the errors are documented. */
  decorators?: MethodDecorator[];
}

/**
 * Makes the decorators of operations, which document them and require their scopes.
 *
 * @param operations - by their ids in the OpenAPI document
 */
export function operationsOf<Id extends string>(
  tag: string,
  operations: Record<Id, Operation>,
): Record<Id, MethodDecorator> {
  const entries = Object.entries<Operation>(operations);
  return Object.fromEntries(
    entries.map(([id, operation]) => [id, decoratorOf(tag, id, operation)]),
  ) as Record<Id, MethodDecorator>;
}

function decoratorOf(tag: string, operationId: string, operation: Operation): MethodDecorator {
  const { scope, route, params = [], body, decorators = [], responds, errors = [], ...texts } = operation;
  return applyDecorators(
    RequireScope(scope),
    ...(route ? [Route(route)] : []),
    ApiTags(tag),
    ApiOperation({ operationId, ...texts }),
    ...params.map((param) => ApiParam(param)),
    ...(body ? [ApiBody(body)] : []),
    ...decorators,
    ...(responds ? [Responds(...responds)] : []),
    ApiErrors(...errors),
  );
}
