import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { tap, type Observable } from 'rxjs';
import type { HtmlResponse } from '../../http/responses/html-response.js';
import { KeptForms } from './kept-forms.js';
import type { VisitorRequest } from './visit.js';

const NOTICE =
  'You are signed in again. Nothing has been changed yet: check what you entered, and send it again.';

/** Gives a page the form that the person sent before signing in again, and deletes the form once there is a page. */
@Injectable()
export class KeptFormInterceptor implements NestInterceptor {
  constructor(private readonly forms: KeptForms) {}

  intercept(context: ExecutionContext, next: CallHandler<HtmlResponse>): Observable<HtmlResponse> {
    const http = context.switchToHttp();
    const request = http.getRequest<VisitorRequest>();
    const { visitor } = request;
    const entered = visitor?.isRecent && request.method === 'GET' && this.forms.read(request, visitor);
    if (!entered) {
      return next.handle();
    }
    Object.assign(visitor, { entered, done: NOTICE });
    const response = http.getResponse<Response>();
    return next.handle().pipe(
      tap(() => {
        if (!response.headersSent) {
          response.appendHeader('Set-Cookie', this.forms.deletion(request));
        }
      }),
    );
  }
}
