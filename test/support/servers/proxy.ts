import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy in front of the database that can simulate a failure of it. */
export interface Proxy {
  url: string;
  /** Breaks every connection and refuses new ones. */
  cut(): void;
  /** Forwards nothing and keeps the connections: the database does not respond. */
  stall(): void;
  restore(): void;
  close(): Promise<void>;
}

/**
 * @param options - `refuses`: a startup parameter that it does not accept, as a pooler may, and `because`, the message of the
 * refusal
 */
export async function startProxy(
  databaseUrl: string,
  {
    refuses,
    because = `unsupported startup parameter: ${refuses}`,
  }: { refuses?: string; because?: string } = {},
): Promise<Proxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'stalled' = 'open';
  const server = createServer((inner) => {
    inner.on('error', () => undefined);
    if (state === 'cut') {
      inner.destroy();
      return;
    }
    if (refuses) {
      inner.prependOnceListener('data', (startup) => {
        if (startup.includes(`\0${refuses}\0`)) {
          inner.end(protocolViolation(because));
        }
      });
    }
    const outer = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => state === 'open' && to.write(chunk));
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const breakAll = () => sockets.forEach((socket) => socket.destroy());
  return {
    url: url.href,
    cut: () => {
      state = 'cut';
      breakAll();
    },
    stall: () => (state = 'stalled'),
    restore: () => (state = 'open'),
    close: async () => {
      breakAll();
      await new Promise((done) => server.close(done));
    },
  };
}

/** PostgreSQL's message ErrorResponse. */
function protocolViolation(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
