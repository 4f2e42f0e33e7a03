import type { PipeTransform, Type } from '@nestjs/common';
import { parseId } from './id.js';
import { Invalid } from './invalid.js';

/** Makes a pipe that reads the id of a path. A text that is not an id gets the error of an unknown id. */
export function idPipe(NotFoundError: new () => Error): Type<PipeTransform<string, string>> {
  return class IdPipe implements PipeTransform<string, string> {
    transform(text: string): string {
      const id = parseId(text);
      if (id instanceof Invalid) {
        throw new NotFoundError();
      }
      return id;
    }
  };
}
