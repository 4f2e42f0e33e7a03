import { isIPv6 } from 'node:net';
import type { Request } from 'express';

/** Headers by which a proxy names its client. */
const FORWARDING_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'cf-connecting-ip'];

const IPV6_GROUPS = 8;
const GROUPS_OF_IPV6_NETWORK = 4;

/**
 * The network that a request comes from: an IPv4 address, or the first 64 bits of an IPv6 address, which one host may
 * choose from freely. Undefined if the request was forwarded by a proxy although the service trusts none: the address of
 * the proxy says nothing about its clients.
 *
 * @param trustsProxies - whether Express's setting `trust proxy` names the proxies
 */
export function clientNetworkOf(request: Request, trustsProxies: boolean): string | undefined {
  const isForwarded = FORWARDING_HEADERS.some((name) => request.headers[name] !== undefined);
  const { ip } = request;
  return ip === undefined || (isForwarded && !trustsProxies) ? undefined : networkOf(ip);
}

export function networkOf(address: string): string {
  const [ip] = address.replace(/^::ffff:(?=\d+\.)/i, '').split('%') as [string];
  if (!isIPv6(ip)) {
    return ip;
  }
  const [before, after = []] = new URL(`http://[${ip}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((groups) => groups.split(':').filter(Boolean)) as [string[], string[]?];
  const zeros = Array<string>(IPV6_GROUPS - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].slice(0, GROUPS_OF_IPV6_NETWORK).join(':');
}
