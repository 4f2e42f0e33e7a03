import { All } from '@nestjs/common';
import { ConsoleController } from '../access/console-controller.decorator.js';
import { PageNotFoundError } from '../people/errors.js';

/** Registered after all pages. If nobody is signed in, a path without a page gets the same response as any other path. */
@ConsoleController('', 'viewer')
export class UnknownPageController {
  @All('*path')
  refuse(): never {
    throw new PageNotFoundError();
  }
}
