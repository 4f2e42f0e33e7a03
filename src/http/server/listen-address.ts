import type { Server } from 'node:http';
import { isIPv6, type AddressInfo } from 'node:net';

const ALL_ADDRESSES = new Set(['0.0.0.0', '::']);

/** A base URL: `http://127.0.0.1:3000`, `http://[::1]:3000`. */
export function httpUrl(host: string, port: number): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** A base URL that works on this machine: `http://127.0.0.1:3000` if the host is 0.0.0.0 or ::. */
export function localUrl(host: string, port: number): string {
  return httpUrl(ALL_ADDRESSES.has(host) ? '127.0.0.1' : host, port);
}

export function listenAddressOf(server: Server): { host: string; port: number } {
  const { address, port } = server.address() as AddressInfo;
  return { host: address, port };
}
