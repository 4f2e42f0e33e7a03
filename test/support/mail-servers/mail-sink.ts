import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export const SINK_PORT = 2500;

/** The next hop of the mail servers. */
export class MailSink {
  /** Of all mail that it received. */
  readonly recipients: string[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<MailSink> {
    const server = createServer((socket) => sink.converse(socket));
    const sink = new MailSink(server);
    server.listen(SINK_PORT, '127.0.0.1');
    await once(server, 'listening');
    return sink;
  }

  close(): void {
    this.server.close();
  }

  private converse(socket: Socket): void {
    let recipients: string[] = [];
    let isInText = false;
    socket.on('error', () => undefined);
    socket.write('220 sink\r\n');
    const lines = createInterface({ input: socket });
    lines.on('error', () => undefined);
    lines.on('line', (line) => {
      if (isInText && line !== '.') {
        return;
      }
      if (isInText) {
        isInText = false;
        this.recipients.push(...recipients);
        recipients = [];
      } else if (line.startsWith('DATA')) {
        isInText = true;
      } else if (/^rcpt/i.test(line)) {
        recipients.push(/<(.*?)>/.exec(line)![1]!);
      }
      socket.write(isInText ? '354 Go on\r\n' : line === 'QUIT' ? '221 Bye\r\n' : '250 OK\r\n');
    });
  }
}
