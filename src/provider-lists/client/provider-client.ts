import * as http from 'node:http';
import * as https from 'node:https';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { EndpointAgents, EndpointResolver, preferIpv4 } from '../../webhooks/endpoint/endpoint-network.js';
import { MissingAddressError } from '../providers/addresses.js';
import type { Connection, ProviderRequest } from '../providers/provider.js';
import { listProviderOf, type ListProviderName } from '../providers/providers.js';
import { refusedCredentials, SILENCE_MS, SilenceError, toProviderFailure } from './provider-failure.js';
import { ProviderResponse } from './provider-response.js';

const USER_AGENT = 'suppression-list-service';
const KEEP_ALIVE_MS = 4_000;
const FORBIDDEN = 403;
/** Amazon SES refuses a signature whose time differs by more. */
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60_000;

export type ProviderOrigins = Partial<Record<ListProviderName, string>>;

export interface ProviderConnection extends Connection {
  provider: ListProviderName;
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
   * @returns the response, whose body is read already if its status is that of the provider's `refusal`
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
    const { originOf, headersOf, refusal } = listProviderOf(connection.provider);
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
    const response = await this.sendAtProviderTime(send);
    if (response.status === refusal?.status && refusal.body.test(await response.text())) {
      throw refusedCredentials(response.status);
    }
    return response;
  }

  /** Sends a request, and repeats it if it was refused because of the clock of this instance. */
  private async sendAtProviderTime(
    send: (behindMs: number) => Promise<http.IncomingMessage>,
  ): Promise<ProviderResponse> {
    try {
      const { behindMs } = this;
      let response = await send(behindMs);
      if (this.correctClock(response, behindMs)) {
        response.destroy();
        response = await send(this.behindMs);
      }
      return new ProviderResponse(response);
    } catch (error) {
      throw toProviderFailure(error as NodeJS.ErrnoException);
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
