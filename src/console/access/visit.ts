import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { VNode } from 'preact';
import type { Actor } from '../../audit/actor.js';
import { contextOf, type IdentifiedRequest, type RequestContext } from '../../audit/request-context.js';
import { DtoPipe } from '../../http/pipes.js';
import { ApiError } from '../../http/errors/api-error.js';
import { ValidationError } from '../../http/errors/errors.js';
import { CursorDto, type Page } from '../../http/page.js';
import type { TimedRequest } from '../../http/requests/open-requests.js';
import { HtmlPage, type HtmlResponse, SeeOther } from '../../http/responses/html-response.js';
import { OperatorError } from '../../process/operator-error.js';
import type { PageVisitor } from '../components/console-page.js';
import { inWordsOfForm } from '../components/words-of-form.js';
import { type Fields, pick, textOf } from '../components/form.js';
import type { List } from '../components/list.js';
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

const pipe = new DtoPipe();

/**
 * Parses a form as the body of the corresponding API operation. An empty field counts as absent.
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
 * Reads a field whose value is one of a list.
 *
 * @throws {ValidationError}
 */
export function choiceIn<Choice extends string>(
  fields: Fields,
  name: string,
  choices: readonly Choice[],
): Choice {
  const chosen = choices.find((choice) => choice === textOf(fields, name));
  if (!chosen) {
    throw ValidationError.ofRequest(`The ${name} must be one of ${choices.join(', ')}.`);
  }
  return chosen;
}

/**
 * Reads the page of a list that the URL names.
 *
 * @param limit - how many elements the page has
 * @throws {ValidationError}
 */
export function readList<Row>(
  visit: Visit,
  limit: number,
  read: (cursor: CursorDto) => Promise<Page<Row>>,
): Promise<List<Row>> {
  return readFiltered(CursorDto, visit, { limit: String(limit) }, read);
}

/**
 * Reads the page of a filtered list that the URL names.
 *
 * @param fields - the filter, as the API takes it
 * @throws {ValidationError}
 */
export async function readFiltered<Dto extends CursorDto, Row>(
  dto: new () => Dto,
  { query }: Visit,
  fields: Fields,
  read: (asked: Dto) => Promise<Page<Row>>,
): Promise<List<Row>> {
  const asked = await readAs(dto, { ...fields, ...pick(query, ['after', 'before']) });
  return { ...(await read(asked)), cursor: asked };
}

/** Leads to the page that shows a change, and says there once what was done. */
export class Done extends SeeOther {
  /** @param message - a sentence */
  constructor(
    location: string,
    readonly message: string,
  ) {
    super(location);
  }
}

/**
 * Handles a form. If the service refuses it, the page with the form comes again, with the reason and with what the person
 * entered.
 *
 * @param handle - returns the response to a form that was accepted
 * @param show - returns the page with the form
 */
export function submit(
  visit: Visit,
  handle: () => Promise<HtmlResponse>,
  show: (refused: Visit) => Promise<HtmlResponse> | HtmlResponse,
): Promise<HtmlResponse> {
  return handleOrShow(handle, (problem) => {
    const hasForm = Object.keys(visit.form).length > 0;
    const entered = hasForm ? { action: visit.path, fields: visit.form } : undefined;
    return show({ ...visit, query: {}, entered, problem });
  });
}

/** Handles a form like {@link submit}, and leads to the page that shows the change. */
export function submitChange(
  visit: Visit,
  change: () => Promise<unknown>,
  done: Done,
  show: (refused: Visit) => Promise<HtmlResponse> | HtmlResponse,
): Promise<HtmlResponse> {
  return submit(visit, () => change().then(() => done), show);
}

/** @param show - returns the page that shows why the service refused the form */
export async function handleOrShow(
  handle: () => Promise<HtmlResponse>,
  show: (problem: string) => Promise<HtmlResponse> | HtmlResponse,
): Promise<HtmlResponse> {
  try {
    return await handle();
  } catch (error) {
    if (!(error instanceof OperatorError || (error instanceof ApiError && error.statusCode < 500))) {
      throw error;
    }
    const { statusCode: status, headers } =
      error instanceof ApiError ? error : { statusCode: 422, headers: {} };
    const page = await show(inWordsOfForm(error));
    return page instanceof HtmlPage
      ? new HtmlPage(page.document, { ...page.options, status, headers })
      : new HtmlPage(page as VNode, { status, headers });
  }
}
