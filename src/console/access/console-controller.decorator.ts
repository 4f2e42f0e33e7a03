import { applyDecorators, Controller, UseInterceptors } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Route } from '../../http/route-options.js';
import { ConsoleErrorPage } from '../components/error-page.js';
import { KeptFormInterceptor } from './kept-form.interceptor.js';
import { ChangesInterceptor } from './changes.interceptor.js';

/** A controller of pages for people below `/console`. */
export function ConsoleController(path = ''): ClassDecorator {
  return applyDecorators(
    Controller(`console/${path}`),
    Route({ response: 'html', body: 'form', errorPage: ConsoleErrorPage }),
    UseInterceptors(KeptFormInterceptor, ChangesInterceptor),
    ApiExcludeController(),
  );
}
