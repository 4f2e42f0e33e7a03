import type { CanActivate, ExecutionContext, Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { REQUEST_TIME_LIMIT_MS } from '../config/time-limits.js';
import { fieldsOf, findUnknownFields, RefuseFields } from '../validation/unknown-fields.js';
import { hasBody, readForm, readJson } from './body/read-body.js';
import { ValidationError } from './errors/errors.js';
import { DtoPipe } from './pipes.js';
import type { TimedRequest } from './requests/open-requests.js';
import type { TracedResponse } from './responses/response.js';
import { accessOf, oncePerHandler, routeOptionsOf } from './route.js';

/** Applies the options of the route. It runs first, so that the other guards respond to page requests with pages. */
export class RouteGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { response, errorPage, script, timeLimitMs } = routeOptionsOf(context);
    const http = context.switchToHttp();
    if (response !== 'json') {
      Object.assign(http.getResponse<TracedResponse>(), { kind: response, errorPage, script });
    }
    const request = http.getRequest<TimedRequest>();
    if (timeLimitMs !== REQUEST_TIME_LIMIT_MS && request.deadline !== undefined) {
      request.deadline += timeLimitMs - REQUEST_TIME_LIMIT_MS;
    }
    return true;
  }
}

const dtoPipe = new DtoPipe();
const reflector = new Reflector();

/**
 * Refuses a query with a parameter that the handler does not read, or one that is repeated.
 *
 * @throws {ValidationError} naming every such parameter, and every invalid one
 */
async function requireKnownQueryParameters({ query }: Request, context: ExecutionContext): Promise<void> {
  const metatype = queryDtoOf(context);
  const unknown = findUnknownFields(Object.keys(query), fieldsOf(metatype), 'query parameter');
  if (unknown.length > 0) {
    const refused = reflector.get(RefuseFields, metatype) ?? {};
    const errors = unknown.map(({ path, message }) => ({
      path,
      message: Object.hasOwn(refused, path) ? refused[path]! : message,
    }));
    await dtoPipe.refuse(query, { type: 'query', metatype }, errors);
  }
  const repeated = Object.keys(query).filter((name) => Array.isArray(query[name]));
  if (repeated.length > 0) {
    throw ValidationError.ofFields(repeated.map((path) => ({ path, message: 'must be given only once' })));
  }
}

/** The DTO that a handler reads with `@Query`, which has a field for each parameter. */
const queryDtoOf = oncePerHandler((context): Type => {
  const [controller, { name }] = [context.getClass(), context.getHandler()];
  const args: Record<string, { index: number }> =
    Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {};
  const types: Type[] = Reflect.getMetadata('design:paramtypes', controller.prototype, name);
  const [, query] = Object.entries(args).find(([kind]) => kind.startsWith(`${RouteParamtypes.QUERY}:`)) ?? [];
  return query ? types[query.index]! : Object;
});

/**
 * Checks the query and reads the body. It runs after the guards that identify the caller, so that nobody without a key can make
 * the service hold a body in memory.
 */
export class RequestGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    return request.url.includes('?') && 'scope' in accessOf(context)
      ? requireKnownQueryParameters(request, context).then(() => this.readBody(context))
      : this.readBody(context);
  }

  private readBody(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const { body } = routeOptionsOf(context);
    if (body === 'unread' || !hasBody(request)) {
      return true;
    }
    const read = body === 'form' ? readForm : readJson;
    return read(request, http.getResponse<Response>()).then(() => true);
  }
}
