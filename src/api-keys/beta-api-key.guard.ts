import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { requireFound } from '../http/errors/api-error.js';
import { accessOf } from '../http/route.js';
import { FailureLimit } from '../http/server/failure-limit.js';
import { clientNetworkOf } from '../http/server/network-addresses.js';
import type { AuthenticatedRequest, Caller } from './caller.js';
import { CallersService } from './callers.service.js';
import {
  BetaAccessRequiredError,
  InvalidApiKeyError,
  MissingApiKeyError,
  requireScope,
  TooManyFailedAttemptsError,
} from './errors.js';
import type { Scope } from './scopes.js';

/** Far more failures than it takes to notice a wrong key, and far fewer than it takes to guess one. */
const MAX_FAILURES = 100;

/** RFC 6750, section 2.1; the name of the scheme is case-insensitive (RFC 9110, section 11.1). */
const BEARER = /^bearer(?: +(.*))?$/i;

/** Requires a valid key with the scope of the route, of an account that is admitted to the beta. */
@Injectable()
export class BetaApiKeyGuard implements CanActivate {
  private readonly failures = new FailureLimit(MAX_FAILURES, TooManyFailedAttemptsError);

  constructor(private readonly callers: CallersService) {}

  /** Synchronous if the caller is cached. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const access = accessOf(context);
    if (!('scope' in access)) {
      return true;
    }
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const secret = readBearer(request.headers.authorization);
    const caller = this.callers.getCached(secret);
    return caller
      ? admit(request, caller, access.scope)
      : this.authenticate(request, secret).then((found) => admit(request, found, access.scope));
  }

  /** Valid keys are never refused, whatever other clients on the same network send. */
  private async authenticate(request: Request, secret: string): Promise<Caller> {
    try {
      return await this.callers.authenticate(secret);
    } catch (error) {
      if (error instanceof InvalidApiKeyError) {
        await this.failures.count(clientNetworkOf(request));
      }
      throw error;
    }
  }
}

function admit(request: AuthenticatedRequest, caller: Caller, scope: string): boolean {
  request.caller = caller;
  const { accountId, apiKeyId, apiKeyName } = caller;
  request.identity = { accountId, actor: { type: 'api_key', id: apiKeyId, name: apiKeyName } };
  if (!caller.admittedToBeta) {
    throw new BetaAccessRequiredError();
  }
  requireScope(caller.scopes, scope as Scope);
  return true;
}

function readBearer(header: string | undefined): string {
  if (!header?.trim()) {
    throw new MissingApiKeyError();
  }
  const bearer = requireFound(BEARER.exec(header.trim()), InvalidApiKeyError);
  if (!bearer[1]) {
    throw new MissingApiKeyError();
  }
  return bearer[1];
}
