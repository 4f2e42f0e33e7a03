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
import { isDatabaseUnavailable, isDiskFull, isReadOnly } from '../../database/errors.js';
import { describeError } from '../../process/logger.js';
import { throttle } from '../../process/throttle.js';
import { uncountOpen } from '../requests/open-of-accounts.js';
import { ApiError } from '../errors/api-error.js';
import {
  InternalServerError,
  MethodNotAllowedError,
  ServiceUnavailableError,
  ValidationError,
} from '../errors/errors.js';
import { sendError, type TracedResponse } from './response.js';
import { allowedMethods, unknownPath } from './unknown-path.js';

/** Limits the warnings during an outage, in which one problem fails many requests. */
const WARN_EVERY_MS = 1_000;

/** The stream of a body or a response ended early. */
const DISCONNECTED = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);
  private readonly warnThrottled = throttle((line: object) => this.logger.warn(line), WARN_EVERY_MS);

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<TracedResponse>();
    if (isDisconnection(thrown, request)) {
      return;
    }
    const error = toApiError(thrown, request);
    const cause = { request_id: response.requestId, ...describeError(thrown) };
    if (error instanceof InternalServerError) {
      this.logger.error({ msg: 'unexpected error', ...cause });
    } else if (error instanceof ServiceUnavailableError) {
      this.warnThrottled({ msg: 'service unavailable', ...cause });
    }
    sendError(response, error);
    uncountOpen(request);
  }
}

/** Whether an error only says that the caller closed the connection. The log line of the request already says so. */
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
    return new ServiceUnavailableError('The disk of the database is full.');
  }
  if (isReadOnly(thrown)) {
    return new ServiceUnavailableError('The database is read-only.');
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
