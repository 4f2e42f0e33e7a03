import { ApiError } from '../http/errors/api-error.js';
import type { FieldError } from '../http/errors/error-body.js';

/** Their files are stored in the database, up to 1 GiB each. */
export const MAX_PENDING_IMPORTS = 20;

const NAME_FORMAT =
  'Name the format with ?format=, or the columns with ?mapping=email=Address,cause=Reason,created_at=Date.';

const MAY_BE_SUBSCRIBERS =
  'They may be those of subscribers, who would get no more mail. Add ?format=csv if the addresses must not be mailed.';

/** The file has no known format, or not the one that the caller named. */
export class UnknownFileError extends ApiError {
  readonly statusCode = 422;
  override readonly name = 'validation_error';
  readonly code = 'unknown_file_format';

  /**
   * @param problem - a sentence
   * @param advice - a sentence on what to do about it
   */
  constructor(
    problem: string,
    advice = NAME_FORMAT,
    override readonly errors?: FieldError[],
  ) {
    super(`${problem} ${advice}`);
  }

  /**
   * The file differs from what the caller said about it.
   *
   * @param problem - a predicate of which the field is the subject
   */
  static ofHint(path: 'format' | 'mapping', problem: string): UnknownFileError {
    return new UnknownFileError(`The ${path} ${problem}.`, NAME_FORMAT, [{ path, message: problem }]);
  }

  /**
   * @param found - the names that no format has
   * @param hasAddresses - whether one of them is a usual name of an address
   */
  static noFormat(noun: string, found: string, hasAddresses: boolean): UnknownFileError {
    return new UnknownFileError(
      `No format has the ${noun}: ${found}.`,
      hasAddresses ? MAY_BE_SUBSCRIBERS : NAME_FORMAT,
    );
  }

  static example(): UnknownFileError {
    return UnknownFileError.noFormat('columns', 'Address, Reason, Added', false);
  }
}

/** The file has the columns of several formats, which mean different things. */
export class AmbiguousFileError extends ApiError {
  readonly statusCode = 422;
  override readonly name = 'validation_error';
  readonly code = 'ambiguous_file_format';

  constructor(formats: string[]) {
    const choices = formats.map((format) => `?format=${format}`).join(' or ');
    super(`This file can be ${formats.join(' or ')}: they have the same columns. Add ${choices}.`);
  }

  static example(): AmbiguousFileError {
    return new AmbiguousFileError(['sendgrid-bounces', 'sendgrid-blocks']);
  }
}

/** The file is not a list of suppressions: importing it would block people who want mail. */
export class RefusedFileError extends ApiError {
  readonly statusCode = 422;
  override readonly name = 'validation_error';
  readonly code = 'file_refused';

  /** @param reason - a sentence */
  constructor(reason: string) {
    super(`${reason} Nothing was imported.`);
  }

  static example(): RefusedFileError {
    return new RefusedFileError('This is an allowlist of Mandrill: its addresses are to be mailed.');
  }
}

export class ImportNotFoundError extends ApiError {
  readonly statusCode = 404;
  override readonly name = 'not_found';
  readonly code = 'import_not_found';

  constructor() {
    super('The account has no import with this id.');
  }

  static example(): ImportNotFoundError {
    return new ImportNotFoundError();
  }
}

export class TooManyImportsError extends ApiError {
  readonly statusCode = 409;
  override readonly name = 'validation_error';
  readonly code = 'too_many_imports';

  constructor(full = `The account has ${MAX_PENDING_IMPORTS} imports that have not ended.`) {
    super(`${full} Wait until one ends, or cancel one, and send the file again.`);
  }

  /** A minute after the end of an import, its file is deleted. */
  static ofFiles(): TooManyImportsError {
    return new TooManyImportsError('The files of unfinished imports take up more than 4 GiB.');
  }

  static example(): TooManyImportsError {
    return new TooManyImportsError();
  }
}

export class ImportStatusError extends ApiError {
  readonly statusCode = 409;
  override readonly name = 'validation_error';
  readonly code = 'import_status';

  static example(): ImportStatusError {
    return new ImportStatusError(
      'The import is running: wait for its end, or cancel it, before you revert it.',
    );
  }
}
