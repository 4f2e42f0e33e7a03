import { All } from '@nestjs/common';
import { ConsoleController } from '../access/console-controller.decorator.js';
import { PageNotFoundError } from '../people/errors.js';

/** Comes after all pages. To somebody who is not signed in, a path that no page has looks like any other. */
@ConsoleController('', 'viewer')
export class UnknownPageController {
  @All('*path')
  refuse(): never {
    throw new PageNotFoundError();
  }
}
