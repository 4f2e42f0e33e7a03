import type { PipeTransform, Type } from '@nestjs/common';
import { Invalid, parseId } from '../validation/parsers.js';
import { ValidationError } from './errors/errors.js';

/**
 * Makes a pipe that reads how a path names something: by its id, or in another way.
 *
 * @param parameter - the name of the parameter in the path
 * @param parse - reads a text that is not an id
 */
export function refPipe<Ref>(
  parameter: string,
  parse: (text: string) => Ref | Invalid,
): Type<PipeTransform<string, Ref | { id: string }>> {
  return class RefPipe implements PipeTransform<string, Ref | { id: string }> {
    /** @throws {ValidationError} */
    transform(text: string): Ref | { id: string } {
      const id = parseId(text);
      const ref = id instanceof Invalid ? parse(text) : { id };
      if (ref instanceof Invalid) {
        throw ValidationError.ofFields([{ path: parameter, message: ref.problem }]);
      }
      return ref;
    }
  };
}

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
