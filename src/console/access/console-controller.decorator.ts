import { applyDecorators, Controller, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Route } from '../../http/route-options.js';
import type { Role } from '../people/roles.js';
import { ConsoleErrorPage } from '../components/error-page.js';
import { KeptFormInterceptor } from './kept-form.interceptor.js';
import { ChangesInterceptor } from './changes.interceptor.js';
import { RequireRole } from './require-role.decorator.js';

/**
 * A controller of pages for people below `/console`.
 *
 * @param role - which its handlers require, unless they require another one or are public
 */
export function ConsoleController(path = '', role?: Role): ClassDecorator {
  return applyDecorators(
    Controller(`console/${path}`),
    Route({ response: 'html', body: 'form', errorPage: ConsoleErrorPage }),
    UseInterceptors(KeptFormInterceptor, ChangesInterceptor),
    ApiExcludeController(),
    ...(role ? [RequireRole(role)] : []),
  );
}
