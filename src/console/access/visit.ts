import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Actor } from '../../audit/actor.js';
import { contextOf, type IdentifiedRequest, type RequestContext } from '../../audit/request-context.js';
import { createDtoPipe } from '../../http/dto.pipe.js';
import { CursorDto, type Page } from '../../http/page.js';
import type { TimedRequest } from '../../http/requests/deadline.js';
import type { PageVisitor } from '../components/console-page.js';
import { textOf, type Fields } from '../components/form.js';
import type { List } from '../components/list-page.js';
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

const pipe = createDtoPipe();

/**
 * Reads a form as the body of the API's operation that does the same. A field that was left empty is absent.
 *
 * @throws {ValidationError}
 */
export function readAs<Dto extends object>(
  dto: new () => Dto,
  fields: Readonly<Record<string, unknown>>,
): Promise<Dto> {
  const given = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== '' && value !== undefined),
  );
  return pipe.transform(given, { type: 'body', metatype: dto }) as Promise<Dto>;
}

/**
 * Reads the page of a list that the URL names.
 *
 * @param limit - how many elements the page has
 * @throws {ValidationError}
 */
export async function readList<Row>(
  { query }: Visit,
  limit: number,
  read: (cursor: CursorDto) => Promise<Page<Row>>,
): Promise<List<Row>> {
  const cursor = await readAs(CursorDto, { ...cursorIn(query), limit: String(limit) });
  return { ...(await read(cursor)), cursor };
}

/** The parameters of a URL that name a page of a list. */
export function cursorIn(query: Visit['query']): { after: string; before: string } {
  return { after: textOf(query, 'after'), before: textOf(query, 'before') };
}
