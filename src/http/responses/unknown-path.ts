import type { Application, Request } from 'express';
import { RouteNotFoundError } from '../errors/errors.js';
import { encodeAddressPath } from '../server/encode-path.js';
import { allowedMethods } from './allowed-methods.js';

/** The most segments before a path of ours that count as a wrong base URL. */
const MAX_SEGMENTS = 8;

/** Where some clients take any 404 to mean that the address is not suppressed. */
const EMPTY_ADDRESS = /^\/(?:suppressions|contacts)\/{2,}(?!\/|suppressions|contacts)/;

/** The error for a path without a route: 400 if the caller probably meant one of ours, so that nobody reads it as an answer. */
export function unknownPath({ app, path, protocol, headers }: Request): RouteNotFoundError {
  if (EMPTY_ADDRESS.test(path)) {
    return RouteNotFoundError.ofEmptyAddress();
  }
  const own = findOwnPath(app as Application, path);
  if (!own) {
    return new RouteNotFoundError();
  }
  if (path.startsWith('/audiences/')) {
    return RouteNotFoundError.ofAudience(own.path);
  }
  const origin = headers.host ? `${protocol}://${headers.host}` : '';
  return RouteNotFoundError.belowPrefix(path.slice(0, own.start), origin + own.path);
}

/** Finds a path of ours below a prefix, such as `/v1`. */
function findOwnPath(app: Application, path: string): { start: number; path: string } | undefined {
  let start = 0;
  for (let segments = 0; segments < MAX_SEGMENTS; segments++) {
    start = path.indexOf('/', start + 1);
    if (start < 0) {
      return undefined;
    }
    const rest = encodeAddressPath(path.slice(start).replace(/^\/+/, '/'));
    if (rest !== '/' && allowedMethods(app, rest).length > 0) {
      return { start, path: rest };
    }
  }
  return undefined;
}
