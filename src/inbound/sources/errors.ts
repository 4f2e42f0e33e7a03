import { apiError, retryAfter } from '../../http/errors/api-error.js';
import { EXIT_CODE, operatorError, UsageError } from '../../process/operator-error.js';

/** Providers retry for hours, most of them on their own schedule. */
const PAUSED_RETRY_SECONDS = 600;

/**
 * No source has this URL.
 *
 * The command `source show` displays the URL of a source.
 */
export class UnknownSourceError extends apiError(404, 'source_not_found', 'No source has this URL.') {}

/**
 * The operator has paused this source.
 *
 * Nothing was stored. Providers keep their events and retry for hours (Amazon SNS retries for one minute by default). The
 * command `source resume` ends the pause.
 */
export class SourcePausedError extends apiError(
  503,
  'source_paused',
  'This source is paused. Keep the events and try again later.',
  { headers: retryAfter(PAUSED_RETRY_SECONDS) },
) {}

export class SourceNotFoundError extends operatorError(
  EXIT_CODE.notFound,
  (id: string) => `There is no source ${id}. "source list" shows all sources.`,
) {}

export class InvalidSourceError extends UsageError {}

export class PausedSourceError extends operatorError(
  EXIT_CODE.failed,
  (id: string) => `The source ${id} is paused. "source resume ${id}" makes it accept mail again.`,
) {}
