import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { accessOf } from '../http/access.js';
import { ApiKeysService } from './api-keys.service.js';
import type { AuthenticatedRequest, Caller } from './caller.js';
import {
  BetaAccessRequiredError,
  InvalidApiKeyError,
  MissingApiKeyError,
  RestrictedApiKeyError,
} from './errors.js';
import { allows } from './scopes.js';

/** RFC 6750, section 2.1; the name of the scheme is case-insensitive (RFC 9110, section 11.1). */
const BEARER = /^bearer(?: +(.*))?$/i;

/** Lets through who shows a valid key, of an account that is admitted to the beta, with the scope of the route. */
@Injectable()
export class BetaApiKeyGuard implements CanActivate {
  constructor(private readonly apiKeys: ApiKeysService) {}

  /** No promise for a caller who is known. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = accessOf(context);
    if ('publicBecause' in access) {
      return true;
    }
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const secret = readBearer(request.headers.authorization);
    const caller = this.apiKeys.recall(secret);
    return caller
      ? admit(request, caller, access.scope)
      : this.apiKeys.authenticate(secret).then((found) => admit(request, found, access.scope));
  }
}

function admit(request: AuthenticatedRequest, caller: Caller, scope: string): boolean {
  request.caller = caller;
  if (!caller.admittedToBeta) {
    throw new BetaAccessRequiredError();
  }
  if (!allows(caller.scopes, scope)) {
    throw new RestrictedApiKeyError(scope);
  }
  return true;
}

function readBearer(header: string | undefined): string {
  if (!header?.trim()) {
    throw new MissingApiKeyError();
  }
  const bearer = BEARER.exec(header.trim());
  if (!bearer) {
    throw new InvalidApiKeyError();
  }
  if (!bearer[1]) {
    throw new MissingApiKeyError();
  }
  return bearer[1];
}
