import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Request } from 'express';
import { fieldsOf, findUnknownFields } from '../validation/unknown-fields.js';
import { ValidationError } from './errors.js';

const parametersOfHandlers = new WeakMap<Function, string[]>();

/** @throws {ValidationError} naming every query parameter that the handler does not read */
export function requireKnownQueryParameters(request: Request, context: ExecutionContext): void {
  const unknown = findUnknownFields(Object.keys(request.query), queryParametersOf(context));
  if (unknown.length > 0) {
    throw ValidationError.ofFields(unknown);
  }
}

/** The names of the parameters and the fields of the DTOs that a handler reads with `@Query`. */
function queryParametersOf(context: ExecutionContext): string[] {
  const handler = context.getHandler();
  let names = parametersOfHandlers.get(handler);
  if (!names) {
    names = readQueryParameters(context.getClass(), handler.name);
    parametersOfHandlers.set(handler, names);
  }
  return names;
}

function readQueryParameters(controller: Function, method: string): string[] {
  const args: Record<string, { index: number; data?: unknown }> =
    Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {};
  const types: Function[] = Reflect.getMetadata('design:paramtypes', controller.prototype, method);
  return Object.entries(args)
    .filter(([kind]) => kind.startsWith(`${RouteParamtypes.QUERY}:`))
    .flatMap(([, { index, data }]) => (typeof data === 'string' ? data : fieldsOf(types[index]!)));
}
