import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedEvent {
  id: string;
  /** The path that it was sent to. */
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
  payload: { type: string; created_at: string; data: Record<string, unknown> };
  receivedAt: number;
}

/** A receiver of webhooks on loopback. */
export interface Endpoint {
  url: string;
  received: ReceivedEvent[];
  /** What is responded to an event; 200 unless set. */
  respond: (response: ServerResponse, event: ReceivedEvent) => void;
  types(): string[];
  close(): Promise<void>;
}

export async function listen(): Promise<Endpoint> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) {
      parts.push(part as Buffer);
    }
    const body = Buffer.concat(parts).toString();
    const event = {
      id: String(request.headers['webhook-id']),
      url: request.url!,
      headers: request.headers,
      body,
      payload: JSON.parse(body),
      receivedAt: Date.now(),
    };
    endpoint.received.push(event);
    endpoint.respond(response, event);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint: Endpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received: [],
    respond: (response) => response.end('thank you'),
    types: () => endpoint.received.map(({ payload }) => payload.type),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return endpoint;
}
