import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { deadlineOf, type TimedRequest } from '../http/requests/open-requests.js';
import type { Actor } from './actor.js';

/** The account that a change belongs to, and who makes the change. */
export interface Identity {
  accountId: number;
  actor: Actor;
}

/** The account and the deadline of a request, for work that does not record an actor. */
export interface AccountContext {
  accountId: number;
  /** The time by which the caller gets a response, on the clock of `performance.now()`. */
  deadline: number;
}

export type RequestContext = Identity & AccountContext;

/** The context of a command, whose operator may change all accounts, or of a request. */
export interface OperatorContext extends Omit<RequestContext, 'accountId'> {
  /** The account that the object must belong to; any account if undefined. */
  accountId?: number | undefined;
}

/** A request whose guard has identified the caller. */
export interface IdentifiedRequest extends Request {
  identity?: Identity;
}

export const Context = createParamDecorator((_data: unknown, context: ExecutionContext): RequestContext => {
  return contextOf(context.switchToHttp().getRequest<IdentifiedRequest & TimedRequest>());
});

/** Throws if the request has no identity, since an {@link OperatorContext} without an account may change all accounts. */
export function contextOf(request: IdentifiedRequest & TimedRequest): RequestContext {
  const { identity } = request;
  if (!identity) {
    throw new Error('A route with a context needs a guard that identifies the caller.');
  }
  return { ...identity, deadline: deadlineOf(request) };
}
