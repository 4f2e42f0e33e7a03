import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** Sends mail over SMTP, one command after the other. */
export class SmtpClient {
  private constructor(
    private readonly socket: Socket,
    private readonly lines: AsyncIterator<string>,
  ) {}

  static async connect(port: number): Promise<SmtpClient> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const client = new SmtpClient(socket, createInterface({ input: socket })[Symbol.asyncIterator]());
    await client.reply();
    await client.send('EHLO client.test');
    return client;
  }

  /** Sends a mail to those recipients that the server accepts, and returns its replies to all. */
  async mail(...recipients: string[]): Promise<string[]> {
    await this.send('MAIL FROM:<shop@mail.test>');
    const replies: string[] = [];
    for (const recipient of recipients) {
      replies.push(await this.send(`RCPT TO:<${recipient}>`));
    }
    if (replies.some((reply) => reply.startsWith('2'))) {
      await this.send('DATA');
      const reply = await this.send('From: shop@mail.test\r\nSubject: News\r\n\r\nHello.\r\n.');
      if (!reply.startsWith('250')) {
        throw new Error(`The mail server refused the mail: ${reply}`);
      }
    } else {
      await this.send('RSET');
    }
    return replies;
  }

  close(): void {
    this.socket.destroy();
  }

  private async send(command: string): Promise<string> {
    this.socket.write(`${command}\r\n`);
    return this.reply();
  }

  /** The last line of the next reply. */
  private async reply(): Promise<string> {
    for (;;) {
      const { value, done } = await this.lines.next();
      if (done) {
        throw new Error('The mail server closed the connection.');
      }
      if (/^\d{3} /.test(value)) {
        return value;
      }
    }
  }
}
