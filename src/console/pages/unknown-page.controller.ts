import { All, Req } from '@nestjs/common';
import type { Application, Request } from 'express';
import { SeeOther, type HtmlResponse } from '../../http/responses/html-response.js';
import { allowedMethods } from '../../http/responses/unknown-path.js';
import { ConsoleController } from '../access/console-controller.decorator.js';
import { PageNotFoundError } from '../people/errors.js';

/** Registered after all pages. If nobody is signed in, a path without a page gets the same response as any other path. */
@ConsoleController('', 'viewer')
export class UnknownPageController {
  /**
   * Leads from the path of a form, where a refused form is shown, to the nearest page above it.
   *
   * @throws {PageNotFoundError} if no form is sent to the path
   */
  @All('*path')
  find(@Req() { app, method, path }: Request): HtmlResponse {
    const methodsOf = (at: string) => allowedMethods(app as Application, at);
    if (method !== 'GET' || !methodsOf(path).includes('POST')) {
      throw new PageNotFoundError();
    }
    let page = path;
    while (!methodsOf(page).includes('GET')) {
      page = page.slice(0, page.lastIndexOf('/'));
    }
    return new SeeOther(page);
  }
}
