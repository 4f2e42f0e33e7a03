import { isIPv6, type AddressInfo } from 'node:net';
import type { Server } from 'node:http';

/** The beginning of URLs: `http://127.0.0.1:3000`, `http://[::1]:3000`. */
export function httpUrl(host: string, port: number): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Where a server listens; `0.0.0.0` and `::` are all addresses of the machine. */
export function listeningAt(server: Server): { host: string; port: number } {
  const { address, port } = server.address() as AddressInfo;
  return { host: address, port };
}
