/** Why a file cannot be read any further. */
export type FileProblem =
  | 'misplaced_quote'
  | 'unterminated_quote'
  | 'row_too_long'
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
