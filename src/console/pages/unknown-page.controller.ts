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
   * A refused form is shown at the path that it was sent to. If there is no page at this path, whoever opens it gets the one above.
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
