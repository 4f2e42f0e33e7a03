import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answer {
  status: number;
  body: unknown;
}

/** Returns false if the request is to be answered as usual. */
export type Fault = (response: ServerResponse, request: IncomingMessage) => boolean;

/** The API of a provider on loopback. */
export interface FakeProvider {
  url: string;
  requests: { method: string; url: URL; headers: IncomingMessage['headers'] }[];
  /** Each is used for one request, and removed if it answered. */
  faults: Fault[];
  close(): Promise<void>;
}

export async function startFakeProvider(
  answer: (url: URL, headers: IncomingMessage['headers'], origin: string) => Answer,
): Promise<FakeProvider> {
  const server = createServer((request, response) => {
    const url = new URL(request.url!, fake.url);
    fake.requests.push({ method: request.method!, url, headers: request.headers });
    const [fault] = fake.faults;
    if (fault?.(response, request)) {
      fake.faults.shift();
      return;
    }
    const { status, body } = answer(url, request.headers, fake.url);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const fake: FakeProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    faults: [],
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return fake;
}

export const NOT_FOUND: Answer = { status: 404, body: { message: 'Not Found' } };

/** Responds with a status once. */
export function failOnce(status: number, headers: Record<string, string> = {}): Fault {
  return (response) => {
    response.writeHead(status, headers).end('{"message":"no"}');
    return true;
  };
}

/** Announces more bytes than it sends. */
export const cutOff: Fault = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"SuppressedDestinationSummaries":[', () => response.destroy());
  return true;
};

/** Waits for the next request. The result answers it. */
export function holdNext(fake: FakeProvider): Promise<(status: number, body: string) => void> {
  return new Promise((resolve) => {
    fake.faults.push((response) => {
      resolve((status, body) => response.writeHead(status).end(body));
      return true;
    });
  });
}
