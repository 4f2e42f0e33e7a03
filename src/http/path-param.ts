import { Param, type PipeTransform, type Type } from '@nestjs/common';
import type { DocumentedError } from './errors/api-error.js';
import { idPipe } from './pipes.js';

/** A parameter in the path: how it is read and documented. */
interface PathParam {
  name: string;
  pipe: Type<PipeTransform<string>>;
  description?: string;
  format?: string;
  example: string;
  /** The errors if it is invalid, or names nothing. */
  errors: DocumentedError[];
}

const PATH_PARAMS = Symbol('path parameters');

/** Makes a decorator for the arguments of handlers, which reads a parameter in the path. */
export function pathParam(param: PathParam): ParameterDecorator {
  return (controller, handler, index) => {
    Param(param.name, param.pipe)(controller, handler, index);
    // The decorator of the last argument runs first.
    const params = [param, ...pathParamsOf(controller, handler!)];
    Reflect.defineMetadata(PATH_PARAMS, params, controller, handler!);
  };
}

/**
 * Makes a decorator for the arguments of handlers, which reads the id of an object in the path.
 *
 * @param NotFoundError - for an unknown id, and for a text that is not an id
 */
export function idParam(
  name: string,
  NotFoundError: DocumentedError & (new () => Error),
  texts: Pick<PathParam, 'description' | 'example'>,
): ParameterDecorator {
  return pathParam({ name, pipe: idPipe(NotFoundError), format: 'uuid', ...texts, errors: [NotFoundError] });
}

/** The parameters in the path that a handler reads, in the order of its arguments. */
export function pathParamsOf(controller: object, handler: string | symbol): PathParam[] {
  return (Reflect.getMetadata(PATH_PARAMS, controller, handler) as PathParam[] | undefined) ?? [];
}
