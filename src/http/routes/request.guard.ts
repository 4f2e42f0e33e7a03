import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { readForm } from '../body/form-body.js';
import { readJson } from '../body/json-body.js';
import { hasBody } from '../body/read-body.js';
import { routeOptionsOf } from '../route-options.js';
import { accessOf } from './access.js';
import { requireKnownQueryParameters } from './query-parameters.js';

/**
 * Checks the query and reads the body. It comes after the guards that identify the caller, so that nobody without a key
 * can make the service hold a body in memory.
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
    const { body, bodyLimit } = routeOptionsOf(context);
    if (body === 'unread' || !hasBody(request)) {
      return true;
    }
    const read = body === 'form' ? readForm : readJson;
    return read(request, http.getResponse<Response>(), bodyLimit).then(() => true);
  }
}
