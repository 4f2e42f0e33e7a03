import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const MAIN = resolve('dist/src/main.js');
const CLI = resolve('dist/src/cli/main.js');

/** To optimize costs more than it gives where a process lives for seconds. */
const FLAGS = ['--no-opt'];

export interface Ended {
  /** Null for a process that a signal ended. */
  code: number | null;
  stdout: string;
  /** Lines of standard error. */
  problems: string[];
}

/** A program of ours, run as a process of its own, with the settings given and no others. */
export class Child {
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;

  private constructor(private readonly child: ChildProcess) {
    child.stdout!.on('data', (chunk) => (this.stdout += chunk));
    child.stderr!.on('data', (chunk) => (this.stderr += chunk));
    this.ended = once(child, 'close').then(([code]) => ({
      code,
      stdout: this.stdout,
      problems: linesOf(this.stderr),
    }));
  }

  /** @param folder - the working directory, where a file `.env` is looked for */
  static service(settings: Record<string, string>, folder: string): Child {
    return Child.node([MAIN], { PORT: '0', SHUTDOWN_DELAY: '0', ...settings }, folder);
  }

  /** @param input - what the standard input has; nothing if not given */
  static cli(args: string[], settings: Record<string, string>, folder: string, input?: string): Child {
    return Child.node([CLI, ...args], settings, folder, input);
  }

  static node(args: string[], settings: Record<string, string>, cwd: string, input?: string): Child {
    const env = { PATH: process.env.PATH, ...settings };
    const stdin = input === undefined ? 'ignore' : 'pipe';
    const child = spawn(process.execPath, [...FLAGS, ...args], { cwd, env, stdio: [stdin, 'pipe', 'pipe'] });
    child.stdin?.end(input);
    return new Child(child);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Nobody reads what the process says from now on. */
  closeOutput(): void {
    this.child.stdout!.destroy();
    this.child.stderr!.destroy();
  }

  /** Waits until standard output has what is looked for. Fails when the process ends without it. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.stdout);
      if (found) {
        return found;
      }
      const more = once(this.child.stdout!, 'data');
      const over = await Promise.race([more.then(() => false), this.ended.then(() => true)]);
      if (over && !pattern.test(this.stdout)) {
        throw new Error(`ended without saying ${pattern}:\n${this.stdout}\n${this.stderr}`);
      }
    }
  }
}

export function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
