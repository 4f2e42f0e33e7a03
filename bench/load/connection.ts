import { connect, type Socket } from 'node:net';

const READ_BUFFER_BYTES = 64 * 1024;
const END_OF_HEAD = '\r\n\r\n';
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)\r\n/i;

/** The body is empty unless it was requested. */
type Callback = (error: Error | null, status?: number, body?: string) => void;

/**
 * A keep-alive HTTP/1.1 connection with one request at a time, for responses with a Content-Length, whose head arrives in one
 * piece. It reads into one buffer, and parses only the status and the length.
 */
export class Connection {
  private status = 0;
  private missing = 0;
  private chunks: Buffer[] = [];
  private keepsBody = false;
  private callback: Callback = () => undefined;

  private constructor(private readonly socket: Socket) {}

  static async open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: '127.0.0.1',
        port,
        noDelay: true,
        onread: {
          buffer: Buffer.allocUnsafe(READ_BUFFER_BYTES),
          callback: (length, buffer) => {
            connection.read((buffer as Buffer).subarray(0, length));
            return true;
          },
        },
      });
      const connection = new Connection(socket);
      socket.once('connect', () => resolve(connection));
      socket.once('error', reject);
      socket.once('close', () => connection.callback(new Error('the connection was closed')));
    });
  }

  /** The callback is called as soon as the last byte of the response arrives. */
  send(bytes: string, keepsBody: boolean, callback: Callback): void {
    this.keepsBody = keepsBody;
    this.callback = callback;
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
    const end = chunk.indexOf(END_OF_HEAD);
    const head = chunk.toString('latin1', 0, end + 2);
    this.status = Number(head.slice(9, 12));
    this.missing = Number(CONTENT_LENGTH.exec(head)?.[1]);
    this.readBody(chunk.subarray(end + END_OF_HEAD.length));
  }

  private readBody(chunk: Buffer): void {
    this.missing -= chunk.length;
    if (this.keepsBody) {
      this.chunks.push(Buffer.from(chunk));
    }
    if (this.missing === 0) {
      const body = this.keepsBody ? Buffer.concat(this.chunks).toString() : '';
      this.chunks = [];
      this.callback(null, this.status, body);
    } else if (!(this.missing > 0)) {
      this.callback(new Error('the response has no Content-Length, or another length'));
    }
  }
}
