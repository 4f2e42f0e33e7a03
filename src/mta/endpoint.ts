import { lookup } from 'node:dns/promises';
import { isIPv6, type AddressInfo, type Server } from 'node:net';
import { isPrivateAddress } from '../http/server/network-addresses.js';
import { Invalid } from '../validation/parsers.js';

/** Where a process listens: a Unix socket, or a port of an address. */
export type Endpoint = { path: string } | { host: string; port: number };

const MAX_PORT = 65_535;
const TCP = /^(?:inet:)?(?:\[([\da-f:.]+)\]|([^:\s[\]/]+)):(\d{1,5})$/i;
const UNIX = /^(?:unix:)?(\/.+)$/;

/** Reads `127.0.0.1:9998`, `[::1]:9998`, or `/run/suppressions/policy`. */
export function parseEndpoint(text: string): Endpoint | Invalid {
  const path = UNIX.exec(text)?.[1];
  if (path) {
    return { path };
  }
  const [, ipv6, name, digits] = TCP.exec(text) ?? [];
  const host = ipv6 ?? name;
  const port = Number(digits);
  return host && port <= MAX_PORT
    ? { host, port }
    : new Invalid('must be an address such as 127.0.0.1:9998 or [::1]:9998, or the path of a Unix socket');
}

export function describeEndpoint(endpoint: Endpoint): string {
  if ('path' in endpoint) {
    return endpoint.path;
  }
  const { host, port } = endpoint;
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Where a server listens. */
export function addressOf(server: Server): Endpoint {
  const address = server.address() as AddressInfo | string;
  return typeof address === 'string' ? { path: address } : { host: address.address, port: address.port };
}

/**
 * Whether only this machine and its private network can reach an endpoint.
 *
 * @throws if the name of the host cannot be resolved
 */
export async function isPrivate(endpoint: Endpoint): Promise<boolean> {
  if ('path' in endpoint) {
    return true;
  }
  const addresses = await lookup(endpoint.host, { all: true });
  return addresses.every(({ address }) => isPrivateAddress(address));
}
