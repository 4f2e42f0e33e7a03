import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { once } from 'node:events';

/** A mail server on loopback that keeps what it receives. */
export class MailSink {
  /** Each with its recipients and its text. */
  emails = [];

  static async start() {
    const sink = new MailSink();
    sink.server = createServer((socket) => sink.#converse(socket)).listen(0, '127.0.0.1');
    await once(sink.server, 'listening');
    sink.port = sink.server.address().port;
    return sink;
  }

  clear() {
    this.emails = [];
  }

  stop() {
    this.server.close();
  }

  #converse(socket) {
    let recipients = [];
    let text = null;
    const reply = (line) => socket.write(`${line}\r\n`);
    socket.on('error', () => {});
    reply('220 sink ESMTP');
    createInterface({ input: socket, crlfDelay: Infinity }).on('line', (line) => {
      if (text) {
        if (line !== '.') {
          text.push(line.replace(/^\./, ''));
          return;
        }
        this.emails.push({ recipients, text: text.join('\n') });
        recipients = [];
        text = null;
      }
      const command = line.slice(0, 4).toUpperCase();
      if (command === 'EHLO') {
        reply('250-sink\r\n250 8BITMIME');
      } else if (command === 'DATA') {
        text = [];
        reply('354 Go on');
      } else if (command === 'QUIT') {
        socket.end('221 Bye\r\n');
      } else {
        if (command === 'RCPT') {
          recipients.push(/<(.*)>/.exec(line)[1]);
        }
        reply('250 OK');
      }
    });
  }
}
