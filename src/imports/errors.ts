import { apiError, withAdvice } from '../http/errors/api-error.js';
import type { FieldError } from '../http/errors/error-body.js';

/** Their files are stored in the database, up to 1 GiB each. */
export const MAX_PENDING_IMPORTS = 20;

const NAME_FORMAT =
  'Name the format with ?format=, or the columns with ?mapping=email=Address,cause=Reason,created_at=Date.';

/**
 * The columns or keys of the file match no format, or not the one in the request, or it is not clear which of them has the
 * address, the cause, or the date.
 *
 * Nothing was stored. [Files](files.md#formats) lists the formats. In a `mapping`, use the names in the first line of the file.
 * If the `format` or the `mapping` of the request does not fit the file, the response has `errors` with that field.
 */
export class UnknownFileError extends apiError(
  422,
  'unknown_file_format',
  (problem: string, advice: string | null = NAME_FORMAT, parameter: string = 'format') =>
    advice === null ? problem : withAdvice(problem, parameter, advice),
  { example: ['No format has the columns: Address, Reason, Added.'] },
) {
  constructor(
    problem: string,
    advice?: string | null,
    parameter?: string,
    override readonly errors?: FieldError[],
  ) {
    super(problem, advice, parameter);
  }

  /**
   * The file does not match what the caller said about it.
   *
   * @param problem - a predicate of which the field is the subject
   */
  static ofHint(path: 'format' | 'mapping', problem: string): UnknownFileError {
    return new UnknownFileError(`The ${path} ${problem}.`, NAME_FORMAT, path, [{ path, message: problem }]);
  }

  /**
   * @param found - the names that were found
   * @param hasAddresses - whether one of them is a usual name of an address
   */
  static noFormat(noun: string, found: string, hasAddresses: boolean): UnknownFileError {
    const problem = `No format has the ${noun}: ${found}.`;
    return hasAddresses
      ? new UnknownFileError(
          `${problem} They may be those of subscribers, who would get no more mail.`,
          'Add ?format=csv if the addresses must not be mailed.',
        )
      : new UnknownFileError(problem);
  }
}

/**
 * The columns of the file belong to several formats with different meanings.
 *
 * Nothing was stored. The service does not guess, because a wrong guess could block people permanently, or cause mail to people
 * who complained.
 */
export class AmbiguousFileError extends apiError(
  422,
  'ambiguous_file_format',
  (formats: string[]) =>
    withAdvice(
      `This file can be ${formats.join(' or ')}: they have the same columns.`,
      'format',
      `Add ${formats.map((format) => `?format=${format}`).join(' or ')}.`,
    ),
  { example: [['sendgrid-bounces', 'sendgrid-blocks']] },
) {}

/**
 * The file is an allowlist, a list of subscribers, or a list of hashes.
 *
 * Nothing was stored. To import such a file anyway, name its columns with `mapping`.
 */
export class RefusedFileError extends apiError(
  422,
  'file_refused',
  (reason: string, advice?: string) =>
    advice === undefined
      ? `${reason} Nothing was imported.`
      : withAdvice(reason, 'topic', `${advice} Nothing was imported.`),
  { example: ['This is an allowlist of Mandrill: its addresses are to be mailed.'] },
) {
  static withoutTopic(): RefusedFileError {
    return new RefusedFileError('The file has opt-outs of a topic.', 'Name the topic with ?topic=.');
  }
}

/**
 * The account has no import with this id.
 *
 * `GET /imports` lists the imports of the account.
 */
export class ImportNotFoundError extends apiError(
  404,
  'import_not_found',
  'The account has no import with this id.',
) {}

/**
 * The account has 20 imports that are uploading, queued, or running, or the files of unfinished imports take up more than 4
 * GiB.
 *
 * The file was not stored. `GET /imports` lists the imports. `POST /imports/:import/cancel` stops one.
 */
export class TooManyImportsError extends apiError(
  409,
  'too_many_imports',
  (full: string = `The account has ${MAX_PENDING_IMPORTS} imports that have not ended.`) =>
    `${full} Wait until one ends, or cancel one, and send the file again.`,
) {
  /** A minute after the end of an import, its file is deleted. */
  static ofFiles(): TooManyImportsError {
    return new TooManyImportsError('The files of unfinished imports take up more than 4 GiB.');
  }
}

/**
 * Only an import that has ended, and was not a dry run, can be reverted.
 *
 * Nothing was changed. `GET /imports/:import` shows the status.
 */
export class ImportStatusError extends apiError(409, 'import_status', (message: string) => message, {
  example: ['The import is running: wait for its end, or cancel it, before you revert it.'],
}) {}
