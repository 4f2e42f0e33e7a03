import { applyDecorators } from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import { RouteAccess } from '../http/access.js';
import { ApiErrors } from '../http/api-errors.decorator.js';
import {
  BetaAccessRequiredError,
  InvalidApiKeyError,
  MissingApiKeyError,
  RestrictedApiKeyError,
} from './errors.js';
import type { Scope } from './scopes.js';

/** Requires an API key with a scope, and documents the errors of callers without one. */
export function RequireScope(scope: Scope): MethodDecorator {
  return applyDecorators(
    RouteAccess({ scope }),
    ApiBearerAuth('apiKey'),
    ApiErrors(
      MissingApiKeyError,
      { example: () => new RestrictedApiKeyError(scope) },
      InvalidApiKeyError,
      BetaAccessRequiredError,
    ),
  );
}
