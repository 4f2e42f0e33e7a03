import { applyDecorators, Controller, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { NextFunction, Request } from 'express';
import type { TracedResponse } from '../../http/responses/response.js';
import { Route, RouteAccess } from '../../http/route.js';
import { ConsoleErrorPage } from '../components/error-page.js';
import type { Role } from '../people/roles.js';
import { KeptFormInterceptor } from './kept-forms.js';
import { ChangesInterceptor } from './changes.interceptor.js';

/**
 * Requires a person with a role who is signed in to the console.
 *
 * @param options - `recent` requires a sign-in within the last ten minutes; `keepsForm` shows the form again, with what the
 *   person entered, after a new sign-in
 */
export function RequireRole(
  role: Role,
  options: { recent?: boolean; keepsForm?: boolean } = {},
): MethodDecorator & ClassDecorator {
  return RouteAccess({ role, ...options });
}

/**
 * A controller of pages for people below `/console`.
 *
 * @param role - the role that its handlers require, unless they require another one. Without it, they may be public, so no body is
 *   read: one of a few bytes may decompress to a form that takes a tenth of a second of CPU time.
 */
export function ConsoleController(path = '', role?: Role): ClassDecorator {
  return applyDecorators(
    Controller(`console/${path}`),
    Route({ response: 'html', body: role ? 'form' : 'unread', errorPage: ConsoleErrorPage, script: true }),
    UseInterceptors(KeptFormInterceptor, ChangesInterceptor),
    ApiExcludeController(),
    ...(role ? [RequireRole(role)] : []),
  );
}

/** Makes requests that match no route, such as those with a malformed path, end with a page. */
export function consolePages(_request: Request, response: TracedResponse, next: NextFunction): void {
  Object.assign(response, { kind: 'html', errorPage: ConsoleErrorPage, script: true });
  next();
}
