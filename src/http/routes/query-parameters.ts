import type { ExecutionContext, Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Request } from 'express';
import { RefuseFields } from '../../validation/refuse-fields.decorator.js';
import { fieldsOf, findUnknownFields } from '../../validation/unknown-fields.js';
import { createDtoPipe } from './dto.pipe.js';

const dtosOfHandlers = new WeakMap<Function, Type>();
const dtoPipe = createDtoPipe();
const reflector = new Reflector();

/**
 * Refuses a query with a parameter that the handler does not read.
 *
 * @throws {ValidationError} naming every such parameter, and every invalid one
 */
export async function requireKnownQueryParameters(
  { query }: Request,
  context: ExecutionContext,
): Promise<void> {
  const metatype = queryDtoOf(context);
  const unknown = findUnknownFields(Object.keys(query), fieldsOf(metatype));
  if (unknown.length > 0) {
    const refused = reflector.get(RefuseFields, metatype) ?? {};
    const errors = unknown.map(({ path, message }) => ({
      path,
      message: Object.hasOwn(refused, path) ? refused[path]! : message,
    }));
    await dtoPipe.refuse(query, { type: 'query', metatype }, errors);
  }
}

/** The DTO that a handler reads with `@Query`, which has a field for each parameter. */
function queryDtoOf(context: ExecutionContext): Type {
  const handler = context.getHandler();
  let dto = dtosOfHandlers.get(handler);
  if (!dto) {
    dto = readQueryDto(context.getClass(), handler.name);
    dtosOfHandlers.set(handler, dto);
  }
  return dto;
}

function readQueryDto(controller: Function, method: string): Type {
  const args: Record<string, { index: number }> =
    Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, method) ?? {};
  const types: Type[] = Reflect.getMetadata('design:paramtypes', controller.prototype, method);
  const [, query] = Object.entries(args).find(([kind]) => kind.startsWith(`${RouteParamtypes.QUERY}:`)) ?? [];
  return query ? types[query.index]! : Object;
}
