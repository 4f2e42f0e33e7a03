import { Readable, Writable } from 'node:stream';
import { run } from '../../src/cli/run.js';
import { linesOf, type Ended } from './child-process.js';

let before: Promise<unknown> = Promise.resolve();

/**
 * Runs a command in this process, which saves the second that a process takes to start. Signals are not handled.
 * Commands run one after the other, since they share the streams of the process.
 *
 * @param folder - the working directory, which may have a file `.env`
 * @param input - standard input
 * @param program - runs the command; if omitted, the commands for operators
 */
export function runCommand(
  args: string[],
  settings: Record<string, string>,
  folder: string,
  input: string | Buffer = '',
  program = run,
): Promise<Ended> {
  const ended = before.then(() => runAlone(args, settings, folder, input, program));
  before = ended.catch(() => undefined);
  return ended;
}

async function runAlone(
  args: string[],
  settings: Record<string, string>,
  folder: string,
  input: string | Buffer,
  program: typeof run,
): Promise<Ended> {
  const { error } = console;
  const { env, exitCode } = process;
  const home = process.cwd();
  const stdout: string[] = [];
  const stderr: string[] = [];
  const restoreStreams = replaceStreams(Readable.from([Buffer.from(input)]), stdout);
  console.error = (text: string) => stderr.push(`${text}\n`);
  process.env = { ...settings };
  process.exitCode = 0;
  process.chdir(folder);
  try {
    await program(args, '0.0.0-test');
    return { code: process.exitCode, stdout: stdout.join(''), problems: linesOf(stderr.join('')) };
  } finally {
    process.chdir(home);
    restoreStreams();
    process.exitCode = exitCode;
    process.env = env;
    console.error = error;
  }
}

function replaceStreams(stdin: Readable, written: string[]): () => void {
  const stdout = new Writable({
    write: (chunk, _encoding, done) => {
      written.push(String(chunk));
      done();
    },
  });
  const replaced = Object.entries({ stdin, stdout }).map(([name, value]) => {
    const original = Object.getOwnPropertyDescriptor(process, name)!;
    Object.defineProperty(process, name, { configurable: true, value });
    return () => Object.defineProperty(process, name, original);
  });
  return () => replaced.forEach((restore) => restore());
}
