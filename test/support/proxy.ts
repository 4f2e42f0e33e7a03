import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A road to the database that can be closed: for the service behind it, the database is away. */
export interface Proxy {
  url: string;
  /** Breaks every connection and refuses new ones. */
  cut(): void;
  /** Lets nothing through, without breaking anything: the database is there and does not answer. */
  stall(): void;
  restore(): void;
  close(): Promise<void>;
}

export async function startProxy(databaseUrl: string): Promise<Proxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'stalled' = 'open';
  const server = createServer((inner) => {
    if (state === 'cut') {
      inner.destroy();
      return;
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
