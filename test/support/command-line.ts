import { Readable } from 'node:stream';
import { run } from '../../src/cli/run.js';
import { linesOf, type Ended } from './child-process.js';

let before: Promise<unknown> = Promise.resolve();

/**
 * Runs a command within this process: as one of its own does, but for signals, and without the second that a process
 * takes to start. Commands run one after the other, for they share the outputs.
 *
 * @param folder - the working directory, where a file `.env` is looked for
 * @param input - what the standard input has
 */
export function runCommand(
  args: string[],
  settings: Record<string, string>,
  folder: string,
  input = '',
): Promise<Ended> {
  const ended = before.then(() => runAlone(args, settings, folder, input));
  before = ended.catch(() => undefined);
  return ended;
}

async function runAlone(
  args: string[],
  settings: Record<string, string>,
  folder: string,
  input: string,
): Promise<Ended> {
  const { log, error } = console;
  const { env, exitCode } = process;
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin')!;
  const home = process.cwd();
  const stdout: string[] = [];
  const stderr: string[] = [];
  console.log = (text: string) => stdout.push(`${text}\n`);
  console.error = (text: string) => stderr.push(`${text}\n`);
  process.env = { ...settings };
  process.exitCode = 0;
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from([Buffer.from(input)]) });
  process.chdir(folder);
  try {
    await run(args, '0.0.0-test');
    return { code: process.exitCode, stdout: stdout.join(''), problems: linesOf(stderr.join('')) };
  } finally {
    process.chdir(home);
    Object.defineProperty(process, 'stdin', stdin);
    process.exitCode = exitCode;
    process.env = env;
    Object.assign(console, { log, error });
  }
}
