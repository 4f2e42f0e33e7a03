import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { BetaAccessRequiredError } from '../../api-keys/errors.js';
import { accessOf } from '../../http/routes/access.js';
import { CONSOLE_SETTINGS, type ConsoleSettings } from '../console-settings.js';
import { RoleRequiredError, SignInRequiredError } from '../people/errors.js';
import { includesRole, type Role } from '../people/roles.js';
import { SessionsService } from '../people/sessions.service.js';
import { requireSameOrigin } from './same-origin.js';
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
    if (!visitor.isAdmitted && !access.beforeAdmission) {
      throw new BetaAccessRequiredError();
    }
    if (!includesRole(visitor.role, access.role as Role)) {
      throw new RoleRequiredError(access.role, visitor.role);
    }
    return true;
  }
}
