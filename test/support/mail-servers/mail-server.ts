import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { until } from '../until.js';

/** A mail server that `.ci/mail-servers` installed, with the configuration of docs/mail-servers.md. */
export abstract class MailServer {
  protected readonly root: string;
  private process: ChildProcess | undefined;

  constructor(
    readonly name: string,
    readonly port: number,
  ) {
    this.root = join(process.env.MAIL_SERVERS!, name);
  }

  /** Writes the configuration, and returns the command that runs the server in the foreground. */
  protected abstract configure(): Promise<string[]>;

  async start(): Promise<void> {
    const [program, ...args] = (await this.configure()) as [string, ...string[]];
    this.process = spawn(program, args, { cwd: this.root, stdio: ['ignore', 'ignore', 'inherit'] });
    await until(() => isListening(this.port));
  }

  async stop(): Promise<void> {
    if (this.process?.kill('SIGTERM')) {
      await once(this.process, 'exit');
    }
  }

  protected inside(...command: string[]): string[] {
    return ['chroot', this.root, ...command];
  }

  /**
   * Runs a command of the system on which the server is installed. The test process answers its questions meanwhile.
   *
   * @returns its output, whether or not it succeeds
   */
  protected run(command: string[], input = ''): Promise<string> {
    const [program, ...args] = this.inside(...command) as [string, ...string[]];
    return new Promise((resolve) => {
      const child = execFile(program, args, (_error, stdout, stderr) => resolve(stdout + stderr));
      child.stdin!.on('error', () => undefined).end(input);
    });
  }

  /** Hands over a mail as cron does. */
  async sendmail(recipient: string): Promise<void> {
    await this.run(['/usr/sbin/sendmail', '-i', recipient], 'Subject: News\n\nHello.\n');
  }

  /** Whether all mail to the recipients of the tests was sent or returned. */
  async hasEmptyQueue(): Promise<boolean> {
    return !(await this.run(['sh', '-c', 'mailq || smtpctl show queue'])).includes('example.com');
  }

  protected write(path: string, text: string): void {
    writeFileSync(join(this.root, path), text);
  }

  protected edit(path: string, ...changes: [from: string, to: string][]): void {
    const file = join(this.root, path);
    let text = readFileSync(file, 'utf8');
    for (const [from, to] of changes) {
      if (!text.includes(from)) {
        throw new Error(`${path} has no ${from}`);
      }
      text = text.replace(from, () => to);
    }
    writeFileSync(file, text);
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'data');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
