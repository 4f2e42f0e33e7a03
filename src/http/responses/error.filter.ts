import {
  Catch,
  HttpException,
  Logger,
  NotFoundException,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { Application, Request } from 'express';
import { isNotMigrated } from '../../database/startup/schema.js';
import { isDatabaseUnavailable, isDiskFull } from '../../database/unavailable.js';
import { ApiError } from '../errors/api-error.js';
import {
  InternalServerError,
  MethodNotAllowedError,
  RouteNotFoundError,
  ServiceUnavailableError,
  ValidationError,
} from '../errors/errors.js';
import { encodeAddressPath } from '../server/json-express-adapter.js';
import { sendError, type TracedResponse } from './response.js';

/** The part of a layer of Express's router that tells which paths and methods it serves. */
interface Layer {
  match(path: string): boolean;
  route?: { methods: Record<string, boolean> };
}

/** The methods that a path has, for the `Allow` header (RFC 9110, section 10.2.1); none where no route has the path. */
function allowedMethods(app: Application, path: string): string[] {
  const routes = (app.router.stack as unknown as Layer[]).filter(({ route }) => route);
  const methods = routes
    .filter((layer) => matches(layer, path))
    .flatMap(({ route }) => Object.keys(route!.methods));
  const names = new Set(methods.map((method) => method.toUpperCase()));
  if (names.has('GET')) {
    names.add('HEAD');
  }
  return [...names].sort();
}

/** A path whose percent-encoding is malformed makes Express throw: it is a path that no route has. */
function matches(layer: Layer, path: string): boolean {
  try {
    return layer.match(path);
  } catch {
    return false;
  }
}

/** The most segments before a path of ours that count as a wrong base URL. */
const MAX_SEGMENTS = 8;

/** Where some clients take any 404 to mean that the address is not suppressed. */
const EMPTY_ADDRESS = /^\/(?:suppressions|contacts)\/{2,}(?!\/|suppressions|contacts)/;

/** The error for a path without a route: 400 if the caller probably meant one of ours, so that nobody reads it as an answer. */
function unknownPath({ app, path, protocol, headers }: Request): RouteNotFoundError {
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

/** An outage has one cause and fails many requests. */
const WARN_EVERY_MS = 1_000;

/** The stream of a body or a response ended early. */
const DISCONNECTED = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);
  private warnedAt = -Infinity;

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<TracedResponse>();
    if (isDisconnection(thrown, request)) {
      return;
    }
    const error = toApiError(thrown, request);
    const cause = { request_id: response.requestId, ...describe(thrown) };
    if (error instanceof InternalServerError) {
      this.logger.error({ msg: 'unexpected error', ...cause });
    } else if (error instanceof ServiceUnavailableError) {
      this.warnThrottled({ msg: 'service unavailable', ...cause });
    }
    sendError(response, error);
  }

  private warnThrottled(line: object): void {
    if (performance.now() > this.warnedAt + WARN_EVERY_MS) {
      this.warnedAt = performance.now();
      this.logger.warn(line);
    }
  }
}

/** Whether an error only says that the caller closed the connection, as the line of the request does. */
function isDisconnection(thrown: unknown, { socket }: Request): boolean {
  const { code = '' } = (thrown ?? {}) as { code?: string };
  return socket.destroyed && DISCONNECTED.has(code);
}

function toApiError(thrown: unknown, request: Request): ApiError {
  if (thrown instanceof ApiError) {
    return thrown;
  }
  if (thrown instanceof HttpException) {
    return fromHttpException(thrown, request);
  }
  if (isNotMigrated(thrown)) {
    return new ServiceUnavailableError(
      'The database lacks tables of this version. Run: npm run migrate. If that changes nothing, correct the search_path.',
    );
  }
  if (isDiskFull(thrown)) {
    return new ServiceUnavailableError('The disk of the database is full, so nothing can be stored.');
  }
  return isDatabaseUnavailable(thrown) ? new ServiceUnavailableError() : new InternalServerError();
}

/** Nest turns everything that Express and its router refuse into an `HttpException`. */
function fromHttpException(exception: HttpException, request: Request): ApiError {
  switch (exception.getStatus()) {
    case 400:
      return ValidationError.ofRequest('The request is malformed: check the percent-encoding of its path.');
    case 404: {
      const allowed = allowedMethods(request.app as Application, request.path);
      return exception instanceof NotFoundException && allowed.length > 0
        ? new MethodNotAllowedError(allowed)
        : unknownPath(request);
    }
    default:
      return exception.getStatus() < 500
        ? ValidationError.ofRequest('The request cannot be processed: check its headers.')
        : new InternalServerError();
  }
}

/** Messages of the database and of libraries may quote addresses, so only the class of the error and its stack are logged. */
function describe(thrown: unknown): { error: string; code?: unknown; at: string[] } {
  if (!(thrown instanceof Error)) {
    return { error: typeof thrown, at: [] };
  }
  const at = (thrown.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const { code } = thrown as { code?: unknown };
  return { error: thrown.constructor.name, code, at: at.map((line) => line.trim()) };
}
