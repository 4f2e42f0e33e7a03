import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { IdentifiedRequest } from '../audit/request-context.js';
import type { Scope } from './scopes.js';

export interface Caller {
  accountId: number;
  admittedToBeta: boolean;
  apiKeyId: string;
  apiKeyName: string;
  scopes: Scope[];
}

export interface AuthenticatedRequest extends IdentifiedRequest {
  /** Set once the key is known, even if it lacks the scope of the route. */
  caller?: Caller;
}

export const CurrentCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller =>
    context.switchToHttp().getRequest<AuthenticatedRequest>().caller!,
);
