import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { listProviderOf, type ListProviderName } from '../../../src/provider-lists/providers/providers.js';

export interface Answer {
  status: number;
  body: unknown;
}

/** Returns false if the request is to be answered as usual. */
export type Fault = (response: ServerResponse, request: IncomingMessage) => boolean;

export interface FakeRequest {
  method: string;
  url: URL;
  headers: IncomingMessage['headers'];
  /** Empty if there is none. */
  body: string;
}

/** The API of a provider on loopback. */
export interface FakeProvider {
  url: string;
  requests: FakeRequest[];
  /** Each is used for one request, and removed if it answered. */
  faults: Fault[];
  /** How many of the next changes are made without a response. */
  losses: number;
  /** Sees each request before it is answered. */
  onRequest?: (request: FakeRequest) => void;
  /** Sees each request that no fault answered. */
  onAnswer?: (request: FakeRequest, status: number) => void;
  /** Listens on another port, which the URLs of its requests tell, and returns its URL. */
  listen(): Promise<string>;
  close(): Promise<void>;
}

/** @param unpaced - the provider whose pace the service of this process does not keep before the fake is closed */
export async function startFakeProvider(
  answer: (url: URL, headers: IncomingMessage['headers'], request: FakeRequest) => Answer,
  unpaced?: ListProviderName,
): Promise<FakeProvider> {
  const keepPace = unpaced && ignorePace(unpaced);
  const servers: Server[] = [];
  const respond = (
    origin: string,
    request: IncomingMessage,
    response: ServerResponse,
    body: string,
  ): void => {
    const { method, headers } = request;
    const received = { method: method!, url: new URL(request.url!, origin), headers, body };
    fake.requests.push(received);
    fake.onRequest?.(received);
    const [fault] = fake.faults;
    if (fault?.(response, request)) {
      fake.faults.shift();
      return;
    }
    const answered = answer(received.url, headers, received);
    fake.onAnswer?.(received, answered.status);
    if (fake.losses > 0 && method !== 'GET') {
      fake.losses--;
      response.destroy();
      return;
    }
    response
      .writeHead(answered.status, { 'content-type': 'application/json' })
      .end(answered.status === 204 ? undefined : JSON.stringify(answered.body));
  };
  const listen = async (): Promise<string> => {
    const server = createServer((request, response) => {
      text(request).then(
        (body) => respond(origin, request, response, body),
        () => response.destroy(),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return origin;
  };
  const fake: FakeProvider = {
    url: await listen(),
    requests: [],
    faults: [],
    losses: 0,
    listen,
    close: async () => {
      keepPace?.();
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
    },
  };
  return fake;
}

function ignorePace(name: ListProviderName): () => void {
  const { pace, add, remove } = listProviderOf(name);
  const paces = [pace, add?.pace, remove?.pace].filter((one) => one !== undefined);
  const restores = [...new Set(paces)].map((one) => {
    const { ms } = one;
    one.ms = 0;
    return () => (one.ms = ms);
  });
  return () => restores.forEach((restore) => restore());
}

export const NOT_FOUND: Answer = { status: 404, body: { message: 'Not Found' } };

/** Responds with a status once. */
export function failOnce(status: number, headers: Record<string, string> = {}): Fault {
  return (response) => {
    response.writeHead(status, headers).end('{"message":"no"}');
    return true;
  };
}

/** Like a fault, for the next request that changes something. */
export function onChange(fault: Fault): Fault {
  return (response, request) => request.method !== 'GET' && fault(response, request);
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
