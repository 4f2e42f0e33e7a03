import * as http from 'node:http';
import * as https from 'node:https';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { describeFailure, parseRetryAfter } from '../../webhooks/endpoint/endpoint.js';
import { EndpointAgents, EndpointResolver, preferIpv4 } from '../../webhooks/endpoint/endpoint-network.js';
import { MissingAddressError } from '../providers/addresses.js';
import type { Connection, ProviderRequest } from '../providers/provider.js';
import { listProviderOf, type ListProviderName } from '../providers/providers.js';
import { ProviderFailure } from './provider-failure.js';

const USER_AGENT = 'suppression-list-service';
/** A response is abandoned after this time without a byte. */
const SILENCE_MS = 15_000;
const KEEP_ALIVE_MS = 4_000;
const MAX_PAGE_CHARACTERS = 16 * 1024 * 1024;
const FORBIDDEN = 403;
const TOO_MANY_REQUESTS = 429;
/** Amazon SES refuses a signature whose time differs by more. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60_000;
const YEAR_SECONDS = 366 * 24 * 60 * 60;
/** The longest accepted pause, because a response that asks for a longer one may be wrong. */
const LONGEST_RETRY_AFTER_MS = 24 * 60 * 60 * 1_000;

export type ProviderOrigins = Partial<Record<ListProviderName, string>>;

export interface ProviderConnection extends Connection {
  provider: ListProviderName;
}

export interface ProviderResponse {
  status: number;
  retryAfterMs: number | null;
  /** Throws {@link ProviderFailure} if the body is cut off. */
  body: AsyncIterable<string>;
  /** The whole body, which must not be longer than a page. */
  text(): Promise<string>;
  /** Closes the connection instead of reading the body. */
  destroy(): void;
}

/**
 * Sends requests to providers, and follows no redirects. Every connection checks the address that it is made to, like the
 * connections of webhooks.
 */
@Injectable()
export class ProviderClient implements BeforeApplicationShutdown {
  private readonly agents: EndpointAgents;
  private readonly names = new EndpointResolver();
  /** How far the clock of this instance is behind that of a provider that refused a request. */
  private behindMs = 0;

  /**
   * @param allowedNetworks - networks in CIDR notation that are exempt from the refusal
   * @param origins - replace the origins of providers
   */
  constructor(
    allowedNetworks: string[],
    private readonly origins: ProviderOrigins,
  ) {
    this.agents = new EndpointAgents(allowedNetworks, KEEP_ALIVE_MS);
  }

  beforeApplicationShutdown(): void {
    this.names.close();
    this.agents.destroy();
  }

  /**
   * Sends a request about a list. The header `Host` names the provider, even if the request goes elsewhere.
   *
   * @throws {ProviderFailure}
   * @throws {MissingAddressError} if the request would delete anything but one entry
   */
  async request(
    connection: ProviderConnection,
    request: ProviderRequest,
    signal: AbortSignal,
  ): Promise<ProviderResponse> {
    const { method, path, body } = request;
    if (method === 'DELETE' && !path.includes('%40')) {
      throw new MissingAddressError();
    }
    const { originOf, headersOf } = listProviderOf(connection.provider);
    const origin = originOf(connection.scope);
    const url = new URL(path, this.origins[connection.provider] ?? origin);
    const send = (behindMs: number) => {
      const options = {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headersOf?.(connection, request, new Date(Date.now() + behindMs)),
          accept: 'application/json',
          host: new URL(origin).host,
          'user-agent': USER_AGENT,
        },
        signal,
      };
      return preferIpv4((family) => this.send(url, family, options, body));
    };
    try {
      const { behindMs } = this;
      let response = await send(behindMs);
      if (this.correctClock(response, behindMs)) {
        response.destroy();
        response = await send(this.behindMs);
      }
      const pieces = textOf(response);
      return {
        status: response.statusCode!,
        retryAfterMs: retryAfterOf(response),
        body: pieces,
        text: () => readText(pieces),
        destroy: () => void response.destroy(),
      };
    } catch (error) {
      throw toFailure(error as NodeJS.ErrnoException);
    }
  }

  /**
   * Takes over the time of a provider that refused a request, if the clock of this instance differs from it.
   *
   * @param usedMs - by how much the time in the request was corrected
   * @returns whether the request may succeed now
   */
  private correctClock({ statusCode, headers }: http.IncomingMessage, usedMs: number): boolean {
    const behindMs = Date.parse(headers.date ?? '') - Date.now();
    const isWrong = Math.abs(behindMs - usedMs) > MAX_CLOCK_DIFFERENCE_MS;
    if (statusCode !== FORBIDDEN || !isWrong) {
      return false;
    }
    this.behindMs = behindMs;
    return true;
  }

  private send(
    url: URL,
    family: 4 | 6,
    options: https.RequestOptions,
    body: string | undefined,
  ): Promise<http.IncomingMessage> {
    const { request } = url.protocol === 'https:' ? https : http;
    return new Promise((resolve, reject) => {
      const sent = request(url, {
        ...options,
        agent: this.agents.get(family, url),
        family,
        lookup: this.names.find,
        servername: url.hostname,
        timeout: SILENCE_MS,
      });
      sent.on('timeout', () => sent.destroy(new SilenceError()));
      sent.on('response', resolve);
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

class SilenceError extends Error {}

function retryAfterOf(response: http.IncomingMessage): number | null {
  const asked = pauseIn(response);
  return asked && Math.min(asked, LONGEST_RETRY_AFTER_MS);
}

/**
 * The pause in `Retry-After` or, without one, in the headers of SendGrid (a time in seconds since 1970), Mailgun (in milliseconds
 * since 1970), Resend, and Brevo (seconds).
 */
function pauseIn({ statusCode, headers }: http.IncomingMessage): number | null {
  const asked = parseRetryAfter(headers['retry-after'], new Date());
  const reset = Number(
    headers['x-ratelimit-reset'] ?? headers['ratelimit-reset'] ?? headers['x-sib-ratelimit-reset'] ?? NaN,
  );
  if (asked !== null || statusCode !== TOO_MANY_REQUESTS || !(reset > 0)) {
    return asked;
  }
  if (reset <= YEAR_SECONDS) {
    return reset * 1_000;
  }
  const at = reset > YEAR_SECONDS * 1_000 ? reset : reset * 1_000;
  return at > Date.now() ? at - Date.now() : null;
}

async function readText(body: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of body) {
    text += piece;
    if (text.length > MAX_PAGE_CHARACTERS) {
      throw new ProviderFailure('unexpected', 'The provider sent a page that is too long.');
    }
  }
  return text;
}

const NOT_JSON = 'The provider sent a body that is not JSON, or not all of it.';

/** @throws {ProviderFailure} if the body is not JSON, or too long for a page */
export async function readJson(response: ProviderResponse): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new ProviderFailure('unavailable', NOT_JSON);
  }
}

/**
 * Reads only the beginning of a body, which may be a whole list.
 *
 * @throws {ProviderFailure} if it is not that of an object or an array
 */
export async function requireJson({ body }: ProviderResponse): Promise<void> {
  for await (const part of body) {
    const text = part.trimStart();
    if (/^[[{]/.test(text)) {
      return;
    }
    if (text !== '') {
      break;
    }
  }
  throw new ProviderFailure('unavailable', NOT_JSON);
}

async function* textOf(response: http.IncomingMessage): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      yield decoder.decode(part, { stream: true });
    }
  } catch (error) {
    throw toFailure(error as NodeJS.ErrnoException);
  }
}

function toFailure(error: NodeJS.ErrnoException): Error {
  if (error instanceof SilenceError) {
    const seconds = SILENCE_MS / 1_000;
    return new ProviderFailure('unavailable', `The provider sent nothing for ${seconds} seconds.`);
  }
  if (error.name === 'AbortError' || error.name === 'TimeoutError') {
    return error;
  }
  if (error.message.includes('is not allowed')) {
    const advice = 'The operator can allow it with WEBHOOK_ALLOWED_NETWORKS.';
    return new ProviderFailure('unexpected', `The address of the provider is not public. ${advice}`);
  }
  return new ProviderFailure(
    'unavailable',
    describeFailure(error).replaceAll('the endpoint', 'the provider'),
  );
}
