import * as http from 'node:http';
import * as https from 'node:https';
import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { EndpointNotPublicError } from '../errors.js';
import { describeFailure, parseRetryAfter } from './endpoint.js';
import { EndpointAgents, EndpointResolver, preferIpv4 } from './endpoint-network.js';

const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 2_048;
const USER_AGENT = 'suppression-list-service';
/** RFC 6761, section 6.3. */
const LOCALHOST = /^(?:.+\.)?localhost\.?$/;
/** Error codes of a connection that the peer has closed. */
const CLOSED_CODES = ['ECONNRESET', 'EPIPE'];
/** Idle connections are closed before routers forget them, so that no event is lost on the way. */
const IDLE_MS = 30_000;

export interface EndpointResponse {
  /** 0 if there was no response. */
  statusCode: number;
  /** The first 2 kB of the body. */
  body: string;
  /** Why there was no response. */
  error: string | null;
  /** Whether no connection could be made, or a reused one did not respond, which may be the fault of this instance. */
  isUnreachable: boolean;
  /** The value of the header Retry-After. */
  retryAfterMs: number | null;
}

interface OutgoingEvent {
  url: URL;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
  /** Whether a new connection was made. A reused connection proves nothing, because the network may have failed since. */
  isConnected: boolean;
}

/**
 * Sends events to endpoints that callers choose, but not into the network of the operator: every connection checks the address
 * that it is made to. Redirects are not followed.
 */
@Injectable()
export class WebhookClient {
  /**
   * Whether the last event could not be sent over any connection. If its endpoint works, this instance has lost its network.
   */
  mayBeCutOff = false;
  private readonly agents: EndpointAgents;
  private isClosed = false;

  /** @param allowedNetworks - networks in CIDR notation that are exempt from the refusal */
  constructor(
    allowedNetworks: string[],
    private readonly names: Pick<EndpointResolver, 'find' | 'close'> = new EndpointResolver(),
    idleMs = IDLE_MS,
  ) {
    this.agents = new EndpointAgents(allowedNetworks, idleMs);
  }

  /**
   * Refuses a URL whose host is an address that may not be connected to. The addresses of a host name may change, so each
   * connection checks them.
   *
   * @throws {EndpointNotPublicError}
   */
  requireReachable(endpoint: string): void {
    const host = hostOf(new URL(endpoint));
    const addresses = LOCALHOST.test(host) ? ['127.0.0.1', '::1'] : [host];
    const literals = addresses.filter((address) => isIP(address) !== 0);
    if (literals.length > 0 && !literals.some((address) => this.agents.mayConnectTo(address))) {
      throw new EndpointNotPublicError();
    }
  }

  async post(endpoint: string, headers: Record<string, string>, body: string): Promise<EndpointResponse> {
    const url = new URL(endpoint);
    const event = { url, headers, body, signal: AbortSignal.timeout(TIMEOUT_MS), isConnected: false };
    const response = await this.sendToAnyFamily(event).catch((error: NodeJS.ErrnoException) => ({
      statusCode: 0,
      body: '',
      error: describe(error),
      isUnreachable: !event.isConnected && !isRefused(error),
      retryAfterMs: null,
    }));
    this.mayBeCutOff = response.isUnreachable;
    return response;
  }

  /** Closes all connections; requests in flight, and all later ones, fail. */
  close(): void {
    this.isClosed = true;
    this.names.close();
    this.agents.destroy();
  }

  private sendToAnyFamily(event: OutgoingEvent): Promise<EndpointResponse> {
    const send = (family: 4 | 6) => this.send(family, event);
    return isIP(hostOf(event.url)) === 6 ? send(6) : preferIpv4(send);
  }

  /**
   * Sends an event. If the endpoint closes an idle connection just when the event is sent over it, the event is sent once more.
   */
  private send(family: 4 | 6, event: OutgoingEvent, mayRepeat = true): Promise<EndpointResponse> {
    const { url, headers, body, signal } = event;
    if (this.isClosed) {
      return Promise.reject(new Error('The client is closed.'));
    }
    const { request } = url.protocol === 'https:' ? https : http;
    const allHeaders = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': USER_AGENT,
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const sent = request(url, {
        method: 'POST',
        agent: this.agents.get(family, url),
        family,
        lookup: this.names.find,
        headers: allHeaders,
        signal,
      });
      sent.on('socket', (socket) => {
        if (!sent.reusedSocket) {
          socket.once('connect', () => (event.isConnected = true));
        }
      });
      let hasStatus = false;
      sent.on('response', (response) => {
        hasStatus = true;
        void readBeginning(response).then((text) => resolve(toEndpointResponse(response, text)));
      });
      sent.on('upgrade', (response, socket) => {
        socket.destroy();
        resolve(toEndpointResponse(response, ''));
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const wasIdle = sent.reusedSocket && CLOSED_CODES.includes(error.code!);
        if (wasIdle && mayRepeat && !hasStatus) {
          resolve(this.send(family, event, false));
        } else if (!hasStatus) {
          reject(error);
        }
      });
      sent.end(body);
    });
  }
}

/** The host of a URL, without the brackets around an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Reads the beginning of a response. If the response is longer, the connection is not reused. */
async function readBeginning(response: http.IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part);
      bytes += part.length;
      if (bytes >= MAX_RESPONSE_BYTES) {
        break;
      }
    }
  } catch {
    // The status has been received, and the rest of the body does not matter.
  }
  return Buffer.concat(parts).subarray(0, MAX_RESPONSE_BYTES).toString('utf8').replaceAll('\0', '');
}

function toEndpointResponse(response: http.IncomingMessage, body: string): EndpointResponse {
  const retryAfterMs = parseRetryAfter(response.headers['retry-after'], new Date());
  return { statusCode: response.statusCode!, body, error: null, isUnreachable: false, retryAfterMs };
}

function isRefused({ message }: Error): boolean {
  return message.includes('is not allowed');
}

function describe(error: NodeJS.ErrnoException): string {
  if (isRefused(error)) {
    return 'The address of the endpoint is not public. The operator can allow it with WEBHOOK_ALLOWED_NETWORKS.';
  }
  if (error.name === 'TimeoutError' || error.name === 'AbortError') {
    return `There was no response within ${TIMEOUT_MS / 1_000} seconds.`;
  }
  return describeFailure(error);
}
