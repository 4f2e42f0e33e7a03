import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { REQUEST_TIME_LIMIT_MS } from '../../config/time-limits.js';
import type { TimedRequest } from '../requests/timed-request.js';
import type { TracedResponse } from '../responses/response.js';
import { routeOptionsOf } from '../route-options.js';

/** Applies the options of the route. It comes first, so that the other guards refuse a page with a page. */
export class RouteGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { response, errorPage, timeLimitMs } = routeOptionsOf(context);
    const http = context.switchToHttp();
    if (response !== 'json') {
      Object.assign(http.getResponse<TracedResponse>(), { kind: response, errorPage });
    }
    const request = http.getRequest<TimedRequest>();
    if (timeLimitMs !== REQUEST_TIME_LIMIT_MS && request.deadline !== undefined) {
      request.deadline += timeLimitMs - REQUEST_TIME_LIMIT_MS;
    }
    return true;
  }
}
