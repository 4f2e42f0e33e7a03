import { EXIT_CODE, OperatorError } from '../process/operator-error.js';
import { exitCodeOf } from './signal.js';

/** The output cannot be written: the disk is full, or its reader has gone. */
export class OutputError extends OperatorError {
  /** Whether the reader has what it wanted, as `head` does. A command then ends without a word, as if by SIGPIPE. */
  readonly isClosed: boolean;
  override readonly exitCode: number;

  constructor({ code, message }: NodeJS.ErrnoException) {
    super(`The output cannot be written: ${message}`);
    this.isClosed = code === 'EPIPE';
    this.exitCode = this.isClosed ? exitCodeOf('SIGPIPE') : EXIT_CODE.failed;
  }
}

/**
 * Writes a line to standard output, and waits until it is written.
 *
 * @throws {OutputError}
 */
export function print(line: string): Promise<void> {
  return new Promise((done, fail) => {
    process.stdout.write(`${line}\n`, (error) => (error ? fail(new OutputError(error)) : done()));
  });
}

/** Prints a result as JSON, or as text for people. */
export function printAs(json: boolean | undefined, result: unknown, text: string): Promise<void> {
  return print(json ? JSON.stringify(result) : text);
}
