import { connect, type Socket } from 'node:net';

const READ_BUFFER_OCTETS = 64 * 1024;
const END_OF_HEAD = '\r\n\r\n';
const NOTHING = Buffer.alloc(0);
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)\r\n/i;

export interface Response {
  status: number;
  /** Empty unless the body was asked for. */
  body: string;
}

/**
 * A kept-alive HTTP/1.1 connection with one request at a time, for answers that have a Content-Length. It reads into one
 * buffer that is used again and again, and looks at nothing but the status and the length.
 */
export class Connection {
  private unread = NOTHING;
  private status = 0;
  private missing = 0;
  private chunks: Buffer[] = [];
  private keepsBody = false;
  private answered?: (response: Response) => void;

  private constructor(
    private readonly socket: Socket,
    private readonly failed: (error: Error) => void,
  ) {}

  /** @param failed - called when the other side closes the connection or speaks something else */
  static async open(port: number, failed: (error: Error) => void): Promise<Connection> {
    return new Promise((done, fail) => {
      const socket = connect({
        host: '127.0.0.1',
        port,
        noDelay: true,
        onread: {
          buffer: Buffer.allocUnsafe(READ_BUFFER_OCTETS),
          callback: (length, buffer) => {
            connection.read((buffer as Buffer).subarray(0, length));
            return true;
          },
        },
      });
      const connection = new Connection(socket, failed);
      socket.once('connect', () => done(connection));
      socket.once('error', (error) => {
        failed(error);
        fail(error);
      });
      socket.once('end', () => failed(new Error('the connection was closed by the other side')));
    });
  }

  /** Sends a request; the callback comes at once with the last octet of the answer. */
  send(bytes: string, keepsBody: boolean, answered: (response: Response) => void): void {
    this.keepsBody = keepsBody;
    this.answered = answered;
    this.socket.write(bytes, 'latin1');
  }

  close(): void {
    this.socket.destroy();
  }

  private read(chunk: Buffer): void {
    if (this.missing > 0) {
      this.readBody(chunk);
      return;
    }
    const bytes = this.unread.length > 0 ? Buffer.concat([this.unread, chunk]) : chunk;
    const end = bytes.indexOf(END_OF_HEAD);
    if (end < 0) {
      this.unread = Buffer.from(bytes);
      return;
    }
    this.unread = NOTHING;
    const head = bytes.toString('latin1', 0, end + 2);
    const length = CONTENT_LENGTH.exec(head)?.[1];
    if (length === undefined) {
      this.failed(new Error(`an answer without Content-Length: ${head}`));
      return;
    }
    this.status = Number(head.slice(9, 12));
    this.missing = Number(length);
    this.readBody(bytes.subarray(end + END_OF_HEAD.length));
  }

  private readBody(chunk: Buffer): void {
    this.missing -= chunk.length;
    if (this.keepsBody) {
      this.chunks.push(Buffer.from(chunk));
    }
    if (this.missing === 0) {
      const body = this.keepsBody ? Buffer.concat(this.chunks).toString() : '';
      this.chunks = [];
      this.answered?.({ status: this.status, body });
    } else if (this.missing < 0) {
      this.failed(new Error('an answer longer than its Content-Length'));
    }
  }
}
