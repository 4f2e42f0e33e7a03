import { Get, Inject, Param, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { deadlineOf } from '../../http/requests/open-requests.js';
import { HtmlPage, type HtmlResponse, SeeOther } from '../../http/responses/html-response.js';
import { Public } from '../../http/route.js';
import { clientNetworkOf } from '../../http/server/network-addresses.js';
import { ConsoleController } from '../access/console-controller.decorator.js';
import { KeptForms } from '../access/kept-forms.js';
import { cookieHeader, cookieName, readCookie } from '../access/session-cookie.js';
import { requireSameOrigin } from '../access/session.guards.js';
import { SignInAttempts } from '../access/sign-in-attempts.js';
import { CHANGE_COOKIE } from '../access/changes.interceptor.js';
import { handleOrShow } from '../access/visit.js';
import { ICON, ICON_PATH, SCRIPT, SCRIPT_PATH } from '../components/assets.js';
import { OutsidePage } from '../components/console-page.js';
import { SignInHelp } from '../components/error-page.js';
import { CONSOLE_SETTINGS, type ConsoleSettings } from '../console-settings.js';
import { SignInLinkError } from '../people/errors.js';
import { createToken, isToken, SessionsService } from '../people/sessions.service.js';
import { STYLESHEET, STYLESHEET_PATH } from '../styles/stylesheet.js';

/** A secret of a browser that has opened a link, which lets it repeat the sign-in. */
const LINK_COOKIE = 'console-link';
/** As long as a link works. */
const LINK_SECONDS = 15 * 60;

@ConsoleController()
export class SignInController {
  constructor(
    private readonly attempts: SignInAttempts,
    private readonly forms: KeptForms,
    private readonly sessions: SessionsService,
    @Inject(CONSOLE_SETTINGS) private readonly settings: ConsoleSettings,
  ) {}

  @Get(STYLESHEET_PATH)
  @Public('The style sheet is the same for everybody, and the page for signing in needs it.')
  stylesheet(): HtmlResponse {
    return STYLESHEET;
  }

  @Get(SCRIPT_PATH)
  @Public('The script is the same for everybody, as the style sheet.')
  script(): HtmlResponse {
    return SCRIPT;
  }

  @Get(ICON_PATH)
  @Public('The icon is the same for everybody, as the style sheet.')
  icon(): HtmlResponse {
    return ICON;
  }

  @Get('sign-in')
  @Public('It says how to sign in.')
  signIn(): HtmlResponse {
    return (
      <OutsidePage title="Sign in">
        <SignInHelp hasOidc={this.settings.hasOidc} />
      </OutsidePage>
    );
  }

  /**
   * Scanners of mail open every link, so only the button uses it.
   *
   * @throws {SignInLinkError} unless the form would lead to a link for signing in, rather than to another page
   */
  @Get('sign-in/:token')
  @Public('A person with the link is about to sign in.')
  confirm(@Param('token') token: string, @Req() request: Request): HtmlResponse {
    const page = (
      <OutsidePage title="Sign in">
        <form method="post" action={`/console/sign-in/${requireToken(token)}`} class="form">
          <p>This link signs you in once. Press the button to open the console in this browser.</p>
          <button class="primary" type="submit">
            Sign in
          </button>
        </form>
      </OutsidePage>
    );
    const cookie = cookieName(request, this.settings.baseUrl, LINK_COOKIE);
    return new HtmlPage(page, {
      headers: { 'Set-Cookie': cookieHeader(cookie, createToken(), LINK_SECONDS) },
    });
  }

  @Post('sign-in/:token')
  @Public('A person with the link signs in with it, once.')
  useLink(@Param('token') token: string, @Req() request: Request): Promise<HtmlResponse> {
    return handleOrShow(
      () => this.startSession(token, request),
      (problem) => (
        <OutsidePage title="Sign in">
          <div class="notice bad" role="alert">
            <p>{problem}</p>
          </div>
          <SignInHelp hasOidc={this.settings.hasOidc} />
        </OutsidePage>
      ),
    );
  }

  @Post('sign-out')
  @Public('A person whose session has ended is signed out as well.')
  async signOut(@Req() request: Request): Promise<HtmlResponse> {
    requireSameOrigin(request, this.settings.baseUrl);
    const cookies = ['console', CHANGE_COOKIE].map((name) =>
      cookieName(request, this.settings.baseUrl, name),
    );
    await this.sessions.end(readCookie(request, cookies[0]!), deadlineOf(request));
    const deleted = cookies.map((name) => cookieHeader(name, '', 0));
    return new SeeOther('/console/sign-in', { 'Set-Cookie': [...deleted, this.forms.deletion(request)] });
  }

  private async startSession(token: string, request: Request): Promise<HtmlResponse> {
    const { baseUrl } = this.settings;
    const deadline = deadlineOf(request);
    requireSameOrigin(request, baseUrl);
    const cookie = cookieName(request, baseUrl);
    const network = clientNetworkOf(request);
    const browser = readSecret(request, cookieName(request, baseUrl, LINK_COOKIE));
    const session = await this.attempts.limit(network, () => this.sessions.useLink(token, browser, deadline));
    const previous = readCookie(request, cookie);
    if (previous !== session) {
      await this.sessions.end(previous, deadline);
    }
    return new SeeOther(this.forms.pageIn(request), { 'Set-Cookie': cookieHeader(cookie, session) });
  }
}

/** @throws {SignInLinkError} */
function requireToken(token: string): string {
  if (!isToken(token)) {
    throw new SignInLinkError();
  }
  return token;
}

function readSecret(request: Request, cookie: string): string | undefined {
  const value = readCookie(request, cookie);
  return value !== undefined && isToken(value) ? value : undefined;
}
