import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Scope } from './scopes.js';

/** Who calls: a valid key and the account it belongs to. */
export interface Caller {
  accountId: number;
  admittedToBeta: boolean;
  apiKeyId: string;
  apiKeyName: string;
  scopes: Scope[];
}

export interface AuthenticatedRequest extends Request {
  /** Set once the key is known, so also where the key may not do what is asked. */
  caller?: Caller;
}

/** The caller that the guard let through. */
export const CurrentCaller = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Caller =>
    context.switchToHttp().getRequest<AuthenticatedRequest>().caller!,
);
