import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Actor } from '../../audit/actor.js';
import { contextOf, type IdentifiedRequest, type RequestContext } from '../../audit/request-context.js';
import type { TimedRequest } from '../../http/requests/timed-request.js';
import type { PageVisitor } from '../components/console-page.js';
import type { Fields } from '../components/fields.js';
import type { Visitor } from '../people/sessions.service.js';

export interface VisitorRequest extends IdentifiedRequest {
  /** Set once the session is known, even if its role is too low for the route. */
  visitor?: PageVisitor;
}

/** A request of a person who is signed in. */
export interface Visit extends PageVisitor {
  context: RequestContext;
  path: string;
  query: Fields;
  form: Fields;
}

/** The request of the person whom `SessionGuard` has identified. */
export const CurrentVisit = createParamDecorator((_data: unknown, context: ExecutionContext): Visit => {
  const request = context.switchToHttp().getRequest<VisitorRequest & TimedRequest>();
  const { path, query, body } = request;
  return { ...request.visitor!, context: contextOf(request), path, query: query as Fields, form: body ?? {} };
});

export function actorOfVisitor({ personId, email }: Visitor): Actor {
  return { type: 'person', id: personId, name: email };
}
