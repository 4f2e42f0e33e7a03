import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { TooManyOpenRequestsError } from '../http/errors/errors.js';
import type { IdentifiedRequest } from '../http/requests/identified-request.js';
import { RequestCounts } from '../http/requests/request-counts.js';
import { routeOptionsOf } from '../http/route-options.js';

/** Limits how many requests of an account to the same operation are open in this instance, if its route sets `maxOpen`. */
@Injectable()
export class OpenRequestsGuard implements CanActivate {
  private readonly counts = new RequestCounts<string>();

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request & IdentifiedRequest>();
    const { maxOpen } = routeOptionsOf(context);
    if (maxOpen !== Infinity && !this.counts.begin(senderOf(context, request), request, maxOpen)) {
      throw new TooManyOpenRequestsError(maxOpen);
    }
    return true;
  }
}

function senderOf(context: ExecutionContext, { caller, visitor }: IdentifiedRequest): string {
  return `${context.getClass().name}.${context.getHandler().name} ${(caller ?? visitor)?.accountId}`;
}
