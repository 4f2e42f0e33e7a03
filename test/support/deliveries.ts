import type { IncomingHttpHeaders } from 'node:http';
import type {
  SourceOptions,
  InboundRequest,
  Network,
  SourceSettings,
} from '../../src/inbound/providers/provider.js';
import type { DeliveryEvent } from '../../src/inbound/parsing/delivery-event.js';

/** When every delivery of these tests arrives. */
export const NOW = new Date('2026-11-20T10:00:00Z');
export const NOW_SECONDS = NOW.getTime() / 1000;

export const OWN_UUID = '0198a5f2-6d1c-7c3e-9a54-3f1b8f0c2d11';

/** A request as it arrives at {@link NOW}; a body that is no text is sent as JSON. */
export function delivery(body: unknown, headers: IncomingHttpHeaders = {}, receivedAt = NOW): InboundRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { rawBody: Buffer.from(text), headers, receivedAt };
}

export function source(secrets: Record<string, string> = {}, options: SourceOptions = {}): SourceSettings {
  return { secrets, options };
}

/** For providers that ask nobody. */
export const NO_NETWORK: Network = {
  fetchCertificate: () => Promise.reject(new Error('There is no network in this test.')),
};

export function basic(username: string, password: string): IncomingHttpHeaders {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/** What an event does to whom, in short. */
export function inShort(events: DeliveryEvent[]): string[] {
  return events.map(({ recipient, kind, effect }) => `${recipient} ${kind} ${effect}`);
}
