import { apiError, withAdvice } from '../http/errors/api-error.js';

const MAX_SHOWN = 500;

/**
 * The account has no scrub with this id.
 *
 * The response of `POST /scrubs` has the id in the header `Scrub-Id`.
 */
export class ScrubNotFoundError extends apiError(
  404,
  'scrub_not_found',
  'The account has no scrub with this id.',
) {}

/**
 * The recipient file has rows, but none of their addresses is valid. The message lists the first problems.
 *
 * The response contains no rows. If the file has more than 7,500 rows, the connection is cut instead, and the field `problem`
 * of the scrub has the message. With `mode=annotate`, the file is returned with the verdict `invalid` in each row.
 */
export class NoValidAddressError extends apiError(
  422,
  'no_valid_address',
  (problems: string[], mayHaveOtherColumn: boolean) => {
    const problem = `No row has a valid address. ${problems.join(' ')}`;
    const advice = 'If the addresses are in another column, name it with `column`.';
    return mayHaveOtherColumn ? withAdvice(problem, 'column', advice) : problem;
  },
  { example: [['Line 2: the address must contain an @.'], true] },
) {}

/**
 * The service cannot tell which column of the recipient file contains the addresses: it recognizes none, or several, which the
 * message lists.
 *
 * The response contains no rows. The first line of a file with several columns must contain their names.
 */
export class UnknownColumnError extends apiError(
  422,
  'unknown_email_column',
  (columns: string[], mistake?: string) => {
    if (columns.some((name) => name.includes('@'))) {
      return 'The first line has addresses. Add a header that names the columns, such as email,name.';
    }
    const problem = `The first line has: ${columns.join(', ').slice(0, MAX_SHOWN)}.`;
    const advice = 'Name the column of the addresses with `column`.';
    return mistake === undefined
      ? { message: `${advice} ${problem}`, parameter: 'column', problem }
      : `${mistake} ${problem}`;
  },
  { example: [['Customer', 'Contact']] },
) {
  /** @param requested - the column that the caller named. It is not repeated if it may be an address, since scrubs are stored. */
  static noColumn(columns: string[], requested: string | undefined): UnknownColumnError {
    const name = requested?.includes('@') ? 'with this name' : `"${requested?.slice(0, MAX_SHOWN)}"`;
    return new UnknownColumnError(
      columns,
      requested === undefined ? undefined : `There is no column ${name}.`,
    );
  }
}
