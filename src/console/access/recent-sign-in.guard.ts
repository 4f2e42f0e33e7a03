import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { accessOf } from '../../http/routes/access.js';
import { CONSOLE_SETTINGS, type ConsoleSettings } from '../console-settings.js';
import { RecentSignInRequiredError } from '../people/errors.js';
import { formPageOf } from '../components/form-page.js';
import { KeptForms } from './kept-forms.js';
import type { VisitorRequest } from './visit.js';

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
