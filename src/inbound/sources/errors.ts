import { ApiError } from '../../http/errors/api-error.js';
import { EXIT_CODE, OperatorError } from '../../process/operator-error.js';

/** Providers retry for hours, most of them on a schedule of their own. */
const PAUSED_RETRY_SECONDS = 600;

export class UnknownSourceError extends ApiError {
  readonly statusCode = 404;
  override readonly name = 'not_found';
  readonly code = 'source_not_found';

  constructor() {
    super('No source has this URL.');
  }

  static example(): UnknownSourceError {
    return new UnknownSourceError();
  }
}

/** The source accepts nothing at the moment. The sender must keep its events and retry. */
export class SourcePausedError extends ApiError {
  readonly statusCode = 503;
  override readonly name = 'application_error';
  readonly code = 'source_paused';
  override readonly headers = { 'Retry-After': String(PAUSED_RETRY_SECONDS) };

  constructor() {
    super('This source is paused. Keep the events and try again later.');
  }

  static example(): SourcePausedError {
    return new SourcePausedError();
  }
}

export class SourceNotFoundError extends OperatorError {
  override readonly name = 'SourceNotFoundError';
  override readonly exitCode = EXIT_CODE.notFound;

  constructor(id: string) {
    super(`There is no source ${id}. "source list" shows all sources.`);
  }
}

export class InvalidSourceError extends OperatorError {
  override readonly name = 'InvalidSourceError';
  override readonly exitCode = EXIT_CODE.wrongUsage;
}

export class PausedSourceError extends OperatorError {
  override readonly name = 'PausedSourceError';

  constructor(id: string) {
    super(`The source ${id} is paused. "source resume ${id}" makes it accept mail again.`);
  }
}
