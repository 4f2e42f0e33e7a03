import type { Application, Request } from 'express';
import { RouteNotFoundError } from '../errors/errors.js';
import { encodeAddressPath } from '../server/json-express-adapter.js';

/** The part of a layer of Express's router that says which paths and methods it serves. */
interface Layer {
  match(path: string): boolean;
  route?: { path: string; methods: Record<string, boolean> };
}

/**
 * The methods that a path has, for the `Allow` header (RFC 9110, section 10.2.1); none where no route has the path. Routes for
 * all other paths do not count.
 */
export function allowedMethods(app: Application, path: string): string[] {
  const routes = (app.router.stack as unknown as Layer[]).filter(
    ({ route }) => route && !route.path.includes('*'),
  );
  const methods = routes
    .filter((layer) => matches(layer, path))
    .flatMap(({ route }) => Object.keys(route!.methods));
  const names = new Set(methods.map((method) => method.toUpperCase()));
  if (names.has('GET')) {
    names.add('HEAD');
  }
  return [...names].sort();
}

/** A path with malformed percent-encoding makes Express throw. It matches no route. */
function matches(layer: Layer, path: string): boolean {
  try {
    return layer.match(path);
  } catch {
    return false;
  }
}

/** The most segments before a path of ours that count as a wrong base URL. */
const MAX_SEGMENTS = 8;

/** A path without an address, for which some clients would take a 404 to mean that the address is not suppressed. */
const EMPTY_ADDRESS = /^\/(?:suppressions|contacts)\/{2,}(?!\/|suppressions|contacts)/;

/** A path with an empty id, such as `/webhooks//events`, which is not `/events` below a wrong base URL. */
const EMPTY_ID = /^(\/(?!suppressions|contacts)[a-z-]+)\/{2,}(?!\/)/;

/**
 * The error for a path without a route. It is 400 if the caller probably meant one of our paths, so that it is not mistaken for
 * an answer.
 */
export function unknownPath({ app, path, protocol, headers }: Request): RouteNotFoundError {
  if (EMPTY_ADDRESS.test(path)) {
    return RouteNotFoundError.ofEmptyAddress();
  }
  const own = findOwnPath(app as Application, path);
  const [, collection] = EMPTY_ID.exec(path) ?? [];
  const isRepeated = `${own?.path}/`.startsWith(`${collection}/`);
  if (collection && !isRepeated && allowedMethods(app as Application, collection).length > 0) {
    return new RouteNotFoundError('An id in the path is empty.');
  }
  if (!own) {
    return new RouteNotFoundError();
  }
  if (path.startsWith('/audiences/')) {
    return new RouteNotFoundError(`An account has one list of contacts, and no audiences. Use ${own.path}.`);
  }
  const origin = headers.host ? `${protocol}://${headers.host}` : '';
  return new RouteNotFoundError(
    `The right URL has no ${path.slice(0, own.start)}: ${origin}${own.path}. Check the base URL of the client.`,
  );
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
