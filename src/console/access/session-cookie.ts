import type { Request } from 'express';
import { isLoopback } from '../../http/server/network-addresses.js';
import { HttpsRequiredError } from '../people/errors.js';

const LONGEST_SECONDS = 7 * 24 * 60 * 60;

/**
 * The name of a cookie. The prefix makes browsers refuse one that was set without HTTPS, for a part of the site, or by another
 * host (RFC 6265bis, section 4.1.3.2). On localhost, the console works without HTTPS.
 *
 * @throws {HttpsRequiredError}
 */
export function cookieName(request: Request, baseUrl: string, name = 'console'): string {
  if (request.secure || baseUrl.startsWith('https:')) {
    return `__Host-${name}`;
  }
  if (!isLoopback(request.hostname)) {
    throw new HttpsRequiredError();
  }
  return name;
}

export function readCookie({ headers }: Request, name: string): string | undefined {
  const cookies = (headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
}

/**
 * The header that sets a cookie. `Lax`, since `Strict` would lose it on the way back from an identity provider.
 *
 * @param seconds - 0 deletes it
 */
export function cookieHeader(name: string, value: string, seconds = LONGEST_SECONDS): string {
  const secure = name.startsWith('__Host-') ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * Its path has no dots or escapes, so a browser cannot normalize it to a page outside the console. It fits into a cookie, which
 * browsers drop if it is larger than 4 KiB.
 */
const OWN_PAGE = /^(?=.{1,2000}$)\/console(?:\/[\w-]+)*(?:\?[\w\-.~%!$&'()*+,;=:@/?]*)?$/;

/** A page of the console, or its first one for any other text. */
export function pageOr(text: string): string {
  return OWN_PAGE.test(text) ? text : '/console';
}
