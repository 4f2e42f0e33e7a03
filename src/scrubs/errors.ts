import { ApiError } from '../http/errors/api-error.js';

export class ScrubNotFoundError extends ApiError {
  readonly statusCode = 404;
  override readonly name = 'not_found';
  readonly code = 'scrub_not_found';

  constructor() {
    super('The account has no scrub with this id.');
  }

  static example(): ScrubNotFoundError {
    return new ScrubNotFoundError();
  }
}

/** All addresses of a file are invalid, so nothing would be left of it. */
export class NoValidAddressError extends ApiError {
  readonly statusCode = 422;
  override readonly name = 'validation_error';
  readonly code = 'no_valid_address';

  /** @param problems - sentences about the first lines */
  constructor(problems: string[], hasColumns: boolean) {
    super(
      `No row has a valid address. ${problems.join(' ')}` +
        (hasColumns ? ' If the addresses are in another column, name it with `column`.' : ''),
    );
  }

  static example(): NoValidAddressError {
    return new NoValidAddressError(['Line 2: the address must contain an @.'], true);
  }
}

const MAX_SHOWN = 500;

/** The column with the addresses cannot be determined. */
export class UnknownColumnError extends ApiError {
  readonly statusCode = 422;
  override readonly name = 'validation_error';
  readonly code = 'unknown_email_column';

  /**
   * @param problem - one or two sentences
   * @param columns - the columns of the first line that the problem is about
   */
  constructor(problem: string, columns: string[]) {
    super(
      columns.some((name) => name.includes('@'))
        ? 'The first line has addresses. Add a header that names the columns, such as email,name.'
        : `${problem} The first line has: ${columns.join(', ').slice(0, MAX_SHOWN)}.`,
    );
  }

  /** @param requested - the column that the caller named */
  static noColumn(columns: string[], requested: string | undefined): UnknownColumnError {
    return new UnknownColumnError(
      requested === undefined
        ? 'Name the column of the addresses with `column`.'
        : `There is no column ${requested.slice(0, MAX_SHOWN)}.`,
      columns,
    );
  }

  static example(): UnknownColumnError {
    return UnknownColumnError.noColumn(['Customer', 'Contact'], undefined);
  }
}
