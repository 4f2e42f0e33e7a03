import type { Request } from 'express';
import { CrossSiteRequestError } from '../people/errors.js';

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
  if (origin === undefined || !URL.canParse(origin)) {
    return false;
  }
  return origin === new URL(baseUrl).origin || new URL(origin).host === host;
}
