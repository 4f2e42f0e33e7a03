import { isDeepStrictEqual } from 'node:util';
import { peek, toUtf8 } from '../files/streams.js';
import { UnreadableFileError } from '../files/errors.js';
import { UnreadableUploadError } from '../http/errors/body-errors.js';
import { ValidationError } from '../http/errors/errors.js';
import { IdempotencyConflictError } from '../http/idempotency.js';
import type { Cause } from '../ledger/cause.js';
import type { TopicRef } from '../topics/topic-ref.js';
import { UTC_DATES, type DateOptions } from './dates.js';
import { detect } from './formats/detect.js';
import type { Hints } from './formats/format.js';
import type { Plan } from './formats/formats.js';
import type { FoundImport } from './imports.repository.js';

/** A request to import a file. */
export interface NewImport extends Hints {
  name: string | null;
  defaultCause: Cause;
  /** The topic whose opt-outs the file has. */
  topic: TopicRef | null;
  dryRun: boolean;
  dates: DateOptions;
}

/**
 * Determines from the beginning of a file how to read it.
 *
 * @throws {UnknownFileError | AmbiguousFileError | RefusedFileError | UnreadableUploadError | ValidationError}
 */
export function planOf(head: string, options: NewImport): Plan {
  const { dates } = options;
  try {
    const layout = detect(head, options);
    requireZoneOfFormat(layout.format, dates);
    return { ...layout, dates };
  } catch (error) {
    throw error instanceof UnreadableFileError ? new UnreadableUploadError(error.message) : error;
  }
}

/** Refuses a time zone for a provider's file, whose dates have an offset or are in UTC. */
function requireZoneOfFormat(format: string, { timeZone }: DateOptions): void {
  if (timeZone !== UTC_DATES.timeZone && format !== 'csv') {
    const message = `applies only to the format csv: the dates of ${format} are in UTC or have an offset`;
    throw ValidationError.ofField('time_zone', message);
  }
}

/**
 * Checks a repeated request against the import that the first one created.
 *
 * @throws {IdempotencyConflictError}
 */
export function requireSame(
  earlier: FoundImport,
  options: NewImport,
  { topicId, head, hash }: { topicId: string | null; head: string; hash: string },
): void {
  const { format, mapping, dates } = earlier.plan;
  const isSame =
    earlier.fileHash === hash &&
    earlier.topicId === topicId &&
    (options.format ?? format) === format &&
    isDeepStrictEqual(planOf(head, { ...options, format }).mapping, mapping) &&
    isDeepStrictEqual(dates, options.dates) &&
    earlier.name === options.name &&
    earlier.filename === (options.filename ?? null) &&
    earlier.defaultCause === options.defaultCause &&
    earlier.dryRun === options.dryRun;
  if (!isSame) {
    throw new IdempotencyConflictError();
  }
}

/** Enough for the longest header, and for the first entry of any list. */
const HEAD_BYTES = 64 * 1024;

/**
 * Begins to read an uploaded text file.
 *
 * @returns its beginning, and the whole file as UTF-8
 * @throws {UnreadableUploadError | PayloadTooLargeError} here or while the file is read
 */
export async function openUpload(
  upload: AsyncIterable<Buffer>,
): Promise<{ head: string; file: AsyncIterable<Buffer> }> {
  const { head, all } = await peek(readUtf8(upload), (_piece, length) => length >= HEAD_BYTES);
  return { head: head.toString(), file: all };
}

async function* readUtf8(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* toUtf8(file);
  } catch (error) {
    throw error instanceof UnreadableFileError ? new UnreadableUploadError(error.message) : error;
  }
}
