/** Why a file cannot be read any further. */
export type FileProblem =
  | 'misplaced_quote'
  | 'unterminated_quote'
  | 'row_too_long'
  | 'too_many_rows'
  | 'malformed_json'
  | 'truncated'
  | 'nul_character'
  | 'not_utf8';

/** A file cannot be read from a certain line on. The message names the line and quotes nothing of the file. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';

  /** @param line - counted from 1 */
  constructor(
    readonly problem: FileProblem,
    readonly line: number,
    message: string,
  ) {
    super(`Line ${line}: ${message}`);
  }
}

export function tooManyRows(line: number, maxRows: number): UnreadableFileError {
  return new UnreadableFileError(
    'too_many_rows',
    line,
    `the file has more than ${maxRows.toLocaleString('en')} rows. Split it.`,
  );
}
