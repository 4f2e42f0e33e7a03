import { Get, Inject, Query, Req } from '@nestjs/common';
import type { Request } from 'express';
import { requireFound } from '../../http/errors/api-error.js';
import { deadlineOf } from '../../http/requests/open-requests.js';
import { SeeOther, type HtmlResponse } from '../../http/responses/html-response.js';
import { Public } from '../../http/route.js';
import { clientNetworkOf } from '../../http/server/network-addresses.js';
import { ConsoleController } from '../access/console-controller.decorator.js';
import { cookieHeader, cookieName, pageOr, readCookie } from '../access/session-cookie.js';
import { SignInAttempts } from '../access/sign-in-attempts.js';
import { textOf, type Fields } from '../components/form.js';
import { CONSOLE_SETTINGS, type ConsoleSettings } from '../console-settings.js';
import { IdentityProviderError, PageNotFoundError } from '../people/errors.js';
import { SessionsService } from '../people/sessions.service.js';
import type { PendingSignIn } from './oidc-client.js';
import { OidcSignIn } from './oidc-sign-in.js';

const PENDING_COOKIE = 'console-sign-in';
const PENDING_SECONDS = 10 * 60;

@ConsoleController('sign-in/oidc')
export class OidcController {
  constructor(
    /** Null if the operator has set no identity provider. */
    @Inject(OidcSignIn) private readonly oidc: OidcSignIn | null,
    private readonly sessions: SessionsService,
    private readonly attempts: SignInAttempts,
    @Inject(CONSOLE_SETTINGS) private readonly settings: ConsoleSettings,
  ) {}

  /** A GET, because the content security policy does not allow forms to redirect to another site. */
  @Get()
  @Public('A person without a session signs in at the identity provider.')
  async begin(@Req() request: Request, @Query() query: Fields): Promise<HtmlResponse> {
    const cookie = cookieName(request, this.settings.baseUrl, PENDING_COOKIE);
    const { url, pending } = await requireFound(this.oidc, PageNotFoundError).client.begin();
    const [account, returnTo] = [textOf(query, 'account'), pageOr(textOf(query, 'return'))];
    const value = writePending({ ...pending, account, returnTo });
    return new SeeOther(url.href, { 'Set-Cookie': cookieHeader(cookie, value, PENDING_SECONDS) });
  }

  @Get('callback')
  @Public('The identity provider sends people back to it.')
  async finish(@Req() request: Request): Promise<HtmlResponse> {
    const oidc = requireFound(this.oidc, PageNotFoundError);
    const { baseUrl } = this.settings;
    const pendingCookie = cookieName(request, baseUrl, PENDING_COOKIE);
    const pending = readPending(readCookie(request, pendingCookie) ?? '');
    if (!pending) {
      throw new IdentityProviderError('This sign-in has expired. Start again.');
    }
    const deadline = deadlineOf(request);
    const query = new URL(request.url, baseUrl).search.slice(1);
    const session = await this.attempts.limit(clientNetworkOf(request), () =>
      oidc.finish(query, pending, pending.account, deadline),
    );
    const cookie = cookieName(request, baseUrl);
    await this.sessions.end(readCookie(request, cookie), deadline);
    return new SeeOther(pageOr(pending.returnTo), {
      'Set-Cookie': [cookieHeader(cookie, session), cookieHeader(pendingCookie, '', 0)],
    });
  }
}

/** The cookie that the browser keeps while a person signs in at the identity provider. */
export interface PendingCookie extends PendingSignIn {
  /** The account whose console to open; empty for the first existing one in which the person has a role. */
  account: string;
  /** The page of the console to open. */
  returnTo: string;
}

function writePending(pending: PendingCookie): string {
  return Buffer.from(JSON.stringify(pending)).toString('base64url');
}

/** @returns null for a value that this service did not write */
function readPending(value: string): PendingCookie | null {
  try {
    const pending = JSON.parse(Buffer.from(value, 'base64url').toString()) as PendingCookie | null;
    const fields = [pending?.state, pending?.nonce, pending?.verifier, pending?.account, pending?.returnTo];
    return fields.every((field) => typeof field === 'string') ? pending : null;
  } catch {
    return null;
  }
}
