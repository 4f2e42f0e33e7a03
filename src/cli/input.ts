import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { addAbortSignal, Writable, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { EXIT_CODE, OperatorError } from '../process/operator-error.js';
import { stopping } from './stopping.js';

export const STANDARD_INPUT = '-';

export class MissingSecretError extends OperatorError {
  override readonly name = 'MissingSecretError';
  override readonly exitCode = EXIT_CODE.wrongUsage;

  constructor(name: string) {
    super(`No ${name} was entered.`);
  }
}

/** A file, or standard input for `-`. Reading fails when the command is stopped. */
export function openInput(file: string): Readable {
  return addAbortSignal(stopping.signal, file === STANDARD_INPUT ? process.stdin : createReadStream(file));
}

/**
 * Reads a secret from standard input. At a terminal it asks for the secret and hides what is typed.
 *
 * @throws {MissingSecretError}
 */
export async function readSecret(name: string): Promise<string> {
  const entered = process.stdin.isTTY ? await promptFor(name) : await text(openInput(STANDARD_INPUT));
  const secret = entered.trim();
  if (!secret) {
    throw new MissingSecretError(name);
  }
  return secret;
}

/** The terminal is in raw mode meanwhile, so Ctrl-C arrives as a character. */
function promptFor(name: string): Promise<string> {
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({
    input: process.stdin,
    output: hidden,
    terminal: true,
    signal: stopping.signal,
  });
  process.stderr.write(`${name} (input is hidden): `);
  return new Promise<string>((resolve, reject) => {
    terminal.once('line', resolve);
    terminal.once('SIGINT', () => stopping.abort('SIGINT'));
    terminal.once('close', () =>
      reject(stopping.signal.aborted ? stopping.signal.reason : new MissingSecretError(name)),
    );
  }).finally(() => {
    terminal.close();
    process.stderr.write('\n');
  });
}
