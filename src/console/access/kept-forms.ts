import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { tap, type Observable } from 'rxjs';
import type { HtmlResponse } from '../../http/responses/html-response.js';
import { OperatorError } from '../../process/operator-error.js';
import { SecretsCipher } from '../../secrets/secrets-cipher.js';
import type { EnteredForm, Fields } from '../components/form.js';
import { CONSOLE_SETTINGS, type ConsoleSettings } from '../console-settings.js';
import type { Visitor } from '../people/sessions.service.js';
import { cookieHeader, cookieName, pageOr, readCookie } from './session-cookie.js';
import type { VisitorRequest } from './visit.js';

const COOKIE = 'console-form';
/** As long as a sign-in link works. */
const KEPT_SECONDS = 15 * 60;
/** Browsers store cookies of up to 4 KiB, with their name and attributes. */
const MAX_LENGTH = 3_900;
const SECRET_NAME = 'form';

/**
 * Keeps in a cookie what a person entered in a form that needs a recent sign-in, until the person has signed in again. It may
 * contain a secret, so it is encrypted, and only the same person can get it back.
 */
@Injectable()
export class KeptForms {
  constructor(
    @Inject(CONSOLE_SETTINGS) private readonly settings: ConsoleSettings,
    private readonly cipher: SecretsCipher,
  ) {}

  /**
   * @param page - the page with the form
   * @returns the header that keeps the form; null if it is too long, or if there is no key
   */
  keep(request: Request, { personId }: Visitor, page: string): string | null {
    const form: EnteredForm = { action: request.path, fields: request.body as Fields };
    const encrypted = this.encrypt(personId, JSON.stringify(form));
    const value = `${Buffer.from(pageOr(page)).toString('base64url')}.${encrypted}`;
    return encrypted === null || value.length > MAX_LENGTH
      ? null
      : cookieHeader(this.nameOf(request), value, KEPT_SECONDS);
  }

  /** The page with the form that this browser keeps, or the first page of the console. */
  pageIn(request: Request): string {
    const [page = ''] = (readCookie(request, this.nameOf(request)) ?? '').split('.');
    return pageOr(Buffer.from(page, 'base64url').toString());
  }

  /** The form of the requested page that this browser keeps for the person. */
  read(request: Request, { personId }: Visitor): EnteredForm | undefined {
    const [, encrypted] = (readCookie(request, this.nameOf(request)) ?? '').split('.');
    if (encrypted === undefined || this.pageIn(request) !== request.originalUrl) {
      return undefined;
    }
    try {
      return JSON.parse(this.cipher.decrypt(personId, SECRET_NAME, encrypted)) as EnteredForm;
    } catch (error) {
      if (error instanceof OperatorError) {
        return undefined;
      }
      throw error;
    }
  }

  /** The header that deletes the form. */
  deletion(request: Request): string {
    return cookieHeader(this.nameOf(request), '', 0);
  }

  private encrypt(personId: string, form: string): string | null {
    try {
      return this.cipher.encrypt(personId, SECRET_NAME, form);
    } catch (error) {
      if (error instanceof OperatorError) {
        return null;
      }
      throw error;
    }
  }

  private nameOf(request: Request): string {
    return cookieName(request, this.settings.baseUrl, COOKIE);
  }
}

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
