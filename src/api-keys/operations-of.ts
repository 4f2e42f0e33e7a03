import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiBody,
  ApiOperation,
  ApiParam,
  ApiSecurity,
  ApiTags,
  type ApiOperationOptions,
} from '@nestjs/swagger';
import type { DocumentedError } from '../http/errors/api-error.js';
import { COMMON_ERRORS } from '../http/errors/errors.js';
import { InvalidLimit, PageDto } from '../http/page.js';
import { pathParamsOf } from '../http/path-param.js';
import { ApiErrors, Responds } from '../http/responses/response.decorators.js';
import { Route, RouteAccess, type RouteOptions } from '../http/route.js';
import {
  BetaAccessRequiredError,
  InvalidApiKeyError,
  MissingApiKeyError,
  RestrictedApiKeyError,
  TooManyFailedAttemptsError,
} from './errors.js';
import type { Scope } from './scopes.js';

interface Operation {
  scope: Scope;
  summary: string;
  description?: string;
  /** A body that is not JSON. */
  requestBody?: ApiOperationOptions['requestBody'];
  route?: Partial<RouteOptions>;
  body?: Parameters<typeof ApiBody>[0];
  /** The status, description, DTO, and example of the response. */
  responds?: Parameters<typeof Responds>;
  /** The errors of this operation, besides those of its parameters, of all pages, and of all operations. */
  errors?: DocumentedError[];
  /** Applied before the response is documented. */
  decorators?: MethodDecorator[];
}

/** The body of the response, if it is JSON. */
type BodyOf<Of extends Operation> = Of extends {
  responds: readonly [number, string, Type<infer Dto>, ...unknown[]];
}
  ? Dto
  : unknown;

/** The decorator of a handler that returns the body of the response. */
type OperationDecorator<Body> = <Handler extends (...args: never[]) => Promise<Body>>(
  controller: object,
  handler: string | symbol,
  descriptor: TypedPropertyDescriptor<Handler>,
) => void;

type OperationDecorators<Of extends Readonly<Record<string, Operation>>> = {
  [Id in keyof Of]: OperationDecorator<BodyOf<Of[Id]>>;
};

/**
 * Makes the decorators of operations, which document them and require their scopes.
 *
 * @param operations - by their ids in the OpenAPI document
 */
export function operationsOf<const Operations extends Readonly<Record<string, Operation>>>(
  tag: string,
  operations: Operations,
): OperationDecorators<Operations> {
  const entries = Object.entries<Operation>(operations);
  return Object.fromEntries(
    entries.map(([id, operation]) => [id, decoratorOf(tag, id, operation)]),
  ) as OperationDecorators<Operations>;
}

function decoratorOf(tag: string, operationId: string, operation: Operation): MethodDecorator {
  const { scope, route, body, decorators = [], responds, errors = [], ...texts } = operation;
  const isPage = responds?.[2].prototype instanceof PageDto;
  return (controller, handler, descriptor) => {
    const params = pathParamsOf(controller, handler);
    const ofParams = params.flatMap((param) => param.errors);
    applyDecorators(
      RequireScope(scope, [...(isPage ? [InvalidLimit] : []), ...ofParams, ...errors]),
      ...(route ? [Route(route)] : []),
      ApiTags(tag),
      ApiOperation({ operationId, ...texts }),
      ...params.map(({ errors: _errors, pipe: _pipe, ...param }) => ApiParam({ type: String, ...param })),
      ...(body ? [ApiBody(body)] : []),
      ...decorators,
      ...(responds ? [Responds(...responds)] : []),
    )(controller, handler, descriptor);
  };
}

/** Requires an API key with a scope, and documents the errors of every operation that does, and its own. */
function RequireScope(scope: Scope, errors: DocumentedError[]): MethodDecorator {
  return applyDecorators(
    RouteAccess({ scope }),
    ApiSecurity('apiKey', [scope]),
    ApiErrors(
      ...COMMON_ERRORS,
      MissingApiKeyError,
      { example: () => new RestrictedApiKeyError(scope) },
      InvalidApiKeyError,
      BetaAccessRequiredError,
      TooManyFailedAttemptsError,
      ...errors,
    ),
  );
}
