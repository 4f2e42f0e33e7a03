import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CITUS_SETTINGS } from './citus-settings.js';

export const SERVICE = resolve('dist/src/main.js');
/** Bundled, which halves the CPU time of commands that use the database. */
export const CLI = resolve('dist/bundled/cli/main.js');
/** The command line as it is shipped, for {@link Child.node}. */
export const SHIPPED_CLI = resolve('dist/src/cli/main.js');

/** A process that lives for seconds does not gain from optimized code. */
const FLAGS = ['--no-opt'];

export const OPEN = Symbol('standard input stays open');

export interface Ended {
  /** Null if a signal ended the process. */
  code: number | null;
  stdout: string;
  /** Lines of standard error. */
  problems: string[];
}

/** The service or a command as a process, with only the given settings. */
export class Child {
  stdout = '';
  stderr = '';
  /** When it and the processes that write to its output have ended. */
  readonly ended: Promise<Ended>;
  /** When it has ended. */
  readonly exited: Promise<unknown>;

  private constructor(private readonly child: ChildProcess) {
    child.stdout!.on('data', (chunk) => (this.stdout += chunk));
    child.stderr!.on('data', (chunk) => (this.stderr += chunk));
    this.exited = once(child, 'exit');
    this.ended = once(child, 'close').then(([code]) => ({
      code,
      stdout: this.stdout,
      problems: linesOf(this.stderr),
    }));
  }

  /** @param folder - the working directory, which may have a file `.env` */
  static service(settings: Record<string, string>, folder: string, program = SERVICE): Child {
    return Child.node([program], { PORT: '0', SHUTDOWN_DELAY: '0', ...settings }, folder);
  }

  /** @param input - standard input; `open` leaves it open for {@link type} */
  static cli(
    args: string[],
    settings: Record<string, string>,
    folder: string,
    input?: string | typeof OPEN,
  ): Child {
    return Child.node([CLI, ...args], settings, folder, input);
  }

  /** Runs a command at a pseudo-terminal, whose output is all in `stdout`. */
  static terminal(args: string[], settings: Record<string, string>, folder: string): Child {
    const command = [process.execPath, ...FLAGS, CLI, ...args].join(' ');
    return Child.spawn('script', ['-qec', command, '/dev/null'], settings, folder, OPEN);
  }

  static node(
    args: string[],
    settings: Record<string, string>,
    folder: string,
    input?: string | typeof OPEN,
  ): Child {
    return Child.spawn(process.execPath, [...FLAGS, ...args], settings, folder, input);
  }

  /** Runs a shell script in which `cli` is the command line. */
  static shell(script: string, settings: Record<string, string>, folder: string): Child {
    const cli = `cli() { exec ${process.execPath} ${FLAGS.join(' ')} ${CLI} "$@"; }`;
    return Child.spawn('sh', ['-c', `${cli}\n${script}`], settings, folder);
  }

  private static spawn(
    program: string,
    args: string[],
    settings: Record<string, string>,
    cwd: string,
    input?: string | typeof OPEN,
  ): Child {
    const env = { PATH: process.env.PATH, ...CITUS_SETTINGS, ...settings };
    const stdin = input === undefined ? 'ignore' : 'pipe';
    const child = spawn(program, args, { cwd, env, stdio: [stdin, 'pipe', 'pipe'] });
    if (input !== OPEN) {
      child.stdin?.end(input);
    }
    return new Child(child);
  }

  /** The ids of the processes that this one has started. */
  children(): number[] {
    const file = `/proc/${this.child.pid}/task/${this.child.pid}/children`;
    return readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number);
  }

  type(text: string): void {
    this.child.stdin!.write(text);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Stops reading the output of the process. */
  closeOutput(): void {
    this.child.stdout!.destroy();
    this.child.stderr!.destroy();
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Waits until standard output matches. Fails if the process ends first. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.stdout);
      if (found) {
        return found;
      }
      const more = once(this.child.stdout!, 'data');
      const over = await Promise.race([more.then(() => false), this.ended.then(() => true)]);
      if (over && !pattern.test(this.stdout)) {
        throw new Error(`ended without ${pattern}:\n${this.stdout}\n${this.stderr}`);
      }
    }
  }
}

export function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
