import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { addAbortSignal, Writable, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Option } from 'commander';
import { UsageError } from '../process/operator-error.js';
import { stopping } from './stopping.js';

export const STANDARD_INPUT = '-';

/** A file, or standard input for `-`. Reading fails when the command is stopped. */
export function openInput(file: string): Readable {
  return addAbortSignal(stopping.signal, file === STANDARD_INPUT ? process.stdin : createReadStream(file));
}

/**
 * Reads a secret from standard input. At a terminal it asks for the secret and hides what is typed.
 *
 * @throws {UsageError} if nothing is entered
 */
export async function readSecret(name: string): Promise<string> {
  const entered = process.stdin.isTTY
    ? await ask(`${name} (input is hidden): `, { isHidden: true })
    : await text(openInput(STANDARD_INPUT));
  const secret = entered?.trim();
  if (!secret) {
    throw new UsageError(`No ${name} was entered.`);
  }
  return secret;
}

/**
 * Asks at a terminal. Ctrl-C, which is a character while the terminal is in raw mode, stops the command.
 *
 * @returns undefined at the end of the input (Ctrl-D)
 */
async function ask(question: string, { isHidden = false } = {}): Promise<string | undefined> {
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({
    input: process.stdin,
    output: isHidden ? hidden : process.stderr,
    terminal: true,
    prompt: question,
    signal: stopping.signal,
  });
  if (isHidden) {
    process.stderr.write(question);
  }
  terminal.prompt();
  let answer: string | undefined;
  terminal.once('line', (line) => {
    answer = line;
    terminal.close();
  });
  terminal.once('SIGINT', () => stopping.abort('SIGINT'));
  await once(terminal, 'close');
  if (isHidden || answer === undefined) {
    process.stderr.write('\n');
  }
  stopping.signal.throwIfAborted();
  return answer;
}

export interface YesOption {
  yes?: boolean;
}

export const yesOption = (): Option => new Option('-y, --yes', 'Do not ask for confirmation');

/**
 * Asks for confirmation before something is lost, unless `--yes` is given.
 *
 * @param unattended - what to do if there is no terminal to ask at
 * @throws {UsageError}
 */
export async function confirm(
  question: string,
  { yes = false }: YesOption,
  unattended: 'refuse' | 'proceed' = 'refuse',
): Promise<void> {
  const canAsk = process.stdin.isTTY && process.stderr.isTTY;
  if (yes || (!canAsk && unattended === 'proceed')) {
    return;
  }
  if (!canAsk) {
    throw new UsageError('Nothing was changed. Confirm with --yes.');
  }
  if (!/^y(es)?$/i.test((await ask(`${question} [y/N] `))?.trim() ?? '')) {
    throw new UsageError('Nothing was changed.');
  }
}
