import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { ChangeActor } from '../../ledger/actor.js';
import type { Visitor } from '../people/sessions.service.js';

export interface VisitorRequest extends Request {
  /** Set once the session is known, even if its role is too low for the route. */
  visitor?: Visitor;
}

/** The person whom `SessionGuard` has identified. */
export const CurrentVisitor = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Visitor =>
    context.switchToHttp().getRequest<VisitorRequest>().visitor!,
);

export function actorOfVisitor({ personId, email }: Visitor): ChangeActor {
  return { type: 'person', id: personId, name: email };
}
