import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { BetaAccessRequiredError } from '../../api-keys/errors.js';
import { accessOf } from '../../http/route.js';
import { toUrl } from '../../process/to-url.js';
import { formPageOf } from '../components/form.js';
import { CONSOLE_SETTINGS, type ConsoleSettings } from '../console-settings.js';
import {
  CrossSiteRequestError,
  OtherAccountError,
  RecentSignInRequiredError,
  RoleRequiredError,
  SignInRequiredError,
} from '../people/errors.js';
import { includesRole, type Role } from '../people/roles.js';
import { SessionsService, type Visitor } from '../people/sessions.service.js';
import { KeptForms } from './kept-forms.js';
import { cookieName, readCookie } from './session-cookie.js';
import { actorOfVisitor, type VisitorRequest } from './visit.js';

/** Requires a session whose person has the role of the route, and refuses forms of other sites. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly sessions: SessionsService,
    @Inject(CONSOLE_SETTINGS) private readonly settings: ConsoleSettings,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(context);
    if (!('role' in access)) {
      return true;
    }
    const request = context.switchToHttp().getRequest<VisitorRequest>();
    const { baseUrl, hasOidc } = this.settings;
    const token = readCookie(request, cookieName(request, baseUrl));
    const visitor = token && (await this.sessions.find(token));
    if (!visitor) {
      throw new SignInRequiredError(hasOidc);
    }
    request.visitor = visitor;
    request.identity = { accountId: visitor.accountId, actor: actorOfVisitor(visitor) };
    requireSameOrigin(request, baseUrl);
    requireSameAccount(request, visitor);
    if (!visitor.isAdmitted) {
      throw new BetaAccessRequiredError();
    }
    if (!includesRole(visitor.role, access.role as Role)) {
      throw new RoleRequiredError(access.role, visitor.role);
    }
    return true;
  }
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses forms that pages of other sites send. Browsers say where a request comes from: in `Sec-Fetch-Site` over HTTPS and on
 * localhost (W3C Fetch Metadata), else in `Origin`. A request that says neither is refused, too.
 *
 * @throws {CrossSiteRequestError}
 */
export function requireSameOrigin({ method, headers }: Request, baseUrl: string): void {
  const site = headers['sec-fetch-site'];
  const isOurs =
    site === undefined
      ? isOwnOrigin(headers.origin, headers.host, baseUrl)
      : site === 'same-origin' || site === 'none';
  if (!SAFE_METHODS.has(method) && !isOurs) {
    throw new CrossSiteRequestError();
  }
}

function isOwnOrigin(origin: string | undefined, host: string | undefined, baseUrl: string): boolean {
  const url = origin === undefined ? undefined : toUrl(origin);
  return url !== undefined && (origin === new URL(baseUrl).origin || url.host === host);
}

/**
 * Refuses a form or a download from a page of another account: all tabs of a browser share the latest sign-in.
 *
 * @throws {OtherAccountError}
 */
function requireSameAccount({ query }: Request, { accountName }: Visitor): void {
  if (query.account !== undefined && query.account !== accountName) {
    throw new OtherAccountError(accountName);
  }
}

/** Requires a recent sign-in, if the route does. It runs after the body is read, so that the form can be kept. */
@Injectable()
export class RecentSignInGuard implements CanActivate {
  constructor(
    private readonly forms: KeptForms,
    @Inject(CONSOLE_SETTINGS) private readonly settings: ConsoleSettings,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const access = accessOf(context);
    const request = context.switchToHttp().getRequest<VisitorRequest>();
    const { visitor } = request;
    if (!('role' in access) || !access.recent || visitor?.isRecent) {
      return true;
    }
    const hasForm = access.keepsForm && visitor && request.body !== undefined;
    const cookie = hasForm ? this.forms.keep(request, visitor, formPageOf(request)) : undefined;
    throw new RecentSignInRequiredError(this.settings.hasOidc, cookie);
  }
}
