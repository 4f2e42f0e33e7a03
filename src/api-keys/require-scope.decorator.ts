import { applyDecorators } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import { ApiErrors } from '../http/errors/api-errors.decorator.js';
import { COMMON_ERRORS } from '../http/errors/errors.js';
import { RouteAccess } from '../http/routes/access.js';
import {
  BetaAccessRequiredError,
  InvalidApiKeyError,
  MissingApiKeyError,
  RestrictedApiKeyError,
  TooManyFailedAttemptsError,
} from './errors.js';
import type { Scope } from './scopes.js';

/** Requires an API key with a scope, and documents the errors of every operation that does. */
export function RequireScope(scope: Scope): MethodDecorator {
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
    ),
  );
}
