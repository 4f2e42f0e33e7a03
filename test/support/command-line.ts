import { Readable, Writable } from 'node:stream';
import { run } from '../../src/cli/run.js';
import { CITUS_SETTINGS } from './citus-settings.js';
import { linesOf, type Ended } from './child-process.js';

interface CommandOptions {
  program?: typeof run;
  output?: Writable;
}

let before: Promise<unknown> = Promise.resolve();

/**
 * Runs a command in this process, which saves the second that a process takes to start. Signals are not handled.
 * Commands run one after the other, since they share the streams of the process.
 *
 * @param folder - the working directory, which may have a file `.env`
 * @param input - standard input
 * @param options - `program`: runs the command, by default those for operators; `output`: standard output, by default
 *   returned
 */
export function runCommand(
  args: string[],
  settings: Record<string, string>,
  folder: string,
  input: string | Buffer = '',
  options: CommandOptions = {},
): Promise<Ended> {
  const ended = before.then(() => runAlone(args, settings, folder, input, options));
  before = ended.catch(() => undefined);
  return ended;
}

async function runAlone(
  args: string[],
  settings: Record<string, string>,
  folder: string,
  input: string | Buffer,
  { program = run, output }: CommandOptions,
): Promise<Ended> {
  const { error } = console;
  const { env } = process;
  const home = process.cwd();
  const stdout: string[] = [];
  const stderr: string[] = [];
  const restore = replace({
    stdin: Readable.from([Buffer.from(input)]),
    stdout: output ?? collectIn(stdout),
    // Jest shares the real one with all tests of a worker, and sets it to 1 if an earlier file logs something late.
    exitCode: 0,
  });
  console.error = (text: string) => stderr.push(`${text}\n`);
  process.env = { ...CITUS_SETTINGS, ...settings };
  process.chdir(folder);
  try {
    await program(args, '0.0.0-test');
    return { code: Number(process.exitCode), stdout: stdout.join(''), problems: linesOf(stderr.join('')) };
  } finally {
    process.chdir(home);
    restore();
    process.env = env;
    console.error = error;
  }
}

function collectIn(written: string[]): Writable {
  return new Writable({
    write: (chunk, _encoding, done) => {
      written.push(String(chunk));
      done();
    },
  });
}

/** Replaces properties of the process. */
function replace(properties: Record<string, unknown>): () => void {
  const replaced = Object.entries(properties).map(([name, value]) => {
    const original = Object.getOwnPropertyDescriptor(process, name)!;
    Object.defineProperty(process, name, { configurable: true, writable: true, value });
    return () => Object.defineProperty(process, name, original);
  });
  return () => replaced.forEach((undo) => undo());
}
