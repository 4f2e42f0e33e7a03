import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { defer, lastValueFrom, tap, type Observable } from 'rxjs';
import { ReadReplica } from '../../database/read-replica.js';
import { SeeOther, type HtmlResponse } from '../../http/responses/html-response.js';
import type { TracedResponse } from '../../http/responses/response.js';
import { CONSOLE_SETTINGS, type ConsoleSettings } from '../console-settings.js';
import { cookieHeader, cookieName, readCookie } from './session-cookie.js';
import { Done, type VisitorRequest } from './visit.js';

export const CHANGE_COOKIE = 'console-change';
/** An alert reports a read replica that is further behind than this. */
const REMEMBERED_SECONDS = 60;
/** In base64, less than 4 KiB, the size of a cookie with its name. Browsers drop a larger one. */
const MAX_BYTES = 2_900;

/**
 * Remembers in a cookie what a browser has just changed. For a minute, its pages are read from the primary, so that they show
 * the change. The first page that the browser navigates to says what was done. A link cannot set the cookie, and a script on a
 * page in another tab does not consume it.
 */
@Injectable()
export class ChangesInterceptor implements NestInterceptor {
  constructor(
    @Inject(CONSOLE_SETTINGS) private readonly settings: ConsoleSettings,
    private readonly replica: ReadReplica,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler<HtmlResponse>): Observable<HtmlResponse> {
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<VisitorRequest>(), http.getResponse<TracedResponse>()];
    if (!request.visitor) {
      return next.handle();
    }
    const name = cookieName(request, this.settings.baseUrl, CHANGE_COOKIE);
    const remember = (message: string) => {
      if (!response.headersSent) {
        response.appendHeader('Set-Cookie', cookieHeader(name, encode(message), REMEMBERED_SECONDS));
      }
    };
    if (request.method === 'POST') {
      return this.handleOnPrimary(next).pipe(
        tap((result) => {
          if (result instanceof SeeOther) {
            remember(result instanceof Done ? result.message : '');
          }
        }),
      );
    }
    const change = readCookie(request, name);
    if (change === undefined) {
      return next.handle();
    }
    if (change === '' || request.method !== 'GET' || !isNavigation(request)) {
      return this.handleOnPrimary(next);
    }
    request.visitor.done = Buffer.from(change, 'base64url').toString();
    return this.handleOnPrimary(next).pipe(tap(() => remember('')));
  }

  private handleOnPrimary(next: CallHandler<HtmlResponse>): Observable<HtmlResponse> {
    return defer(() => this.replica.onPrimary(() => lastValueFrom(next.handle())));
  }
}

/** Browsers without `Sec-Fetch-Mode`, or at an origin that they do not trust, send none. */
function isNavigation({ headers }: VisitorRequest): boolean {
  return [undefined, 'navigate'].includes(headers['sec-fetch-mode']);
}

function encode(message: string): string {
  const isTooLong = Buffer.byteLength(message) > MAX_BYTES;
  // A message has at most four bytes for each character.
  const text = isTooLong ? `${[...message].slice(0, MAX_BYTES / 4 - 1).join('')}…` : message;
  return Buffer.from(text).toString('base64url');
}
