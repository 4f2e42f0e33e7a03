import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Actor } from '../../audit/actor.js';
import type { IdentifiedRequest } from '../../audit/request-context.js';
import type { Visitor } from '../people/sessions.service.js';

export interface VisitorRequest extends IdentifiedRequest {
  /** Set once the session is known, even if its role is too low for the route. */
  visitor?: Visitor;
}

/** The person whom `SessionGuard` has identified. */
export const CurrentVisitor = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Visitor =>
    context.switchToHttp().getRequest<VisitorRequest>().visitor!,
);

export function actorOfVisitor({ personId, email }: Visitor): Actor {
  return { type: 'person', id: personId, name: email };
}
