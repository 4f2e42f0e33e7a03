import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import type { Request } from 'express';

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Whether a host is this machine itself.
 *
 * @param hostname - as in `URL.hostname`, so an IPv6 address is in brackets
 */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** Headers by which a proxy names its client. */
const FORWARDING_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'cf-connecting-ip'];

const IPV6_GROUPS = 8;
const GROUPS_OF_IPV6_NETWORK = 4;
const GROUPS_OF_IPV6_SITE = 3;

/** Loopback, private, and link-local addresses (RFC 1918, RFC 3927, RFC 4193, RFC 4291). */
const PRIVATE_NETWORKS = new BlockList();
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const) {
  PRIVATE_NETWORKS.addSubnet(network, bits, 'ipv4');
}
PRIVATE_NETWORKS.addAddress('::1', 'ipv6');
PRIVATE_NETWORKS.addSubnet('fc00::', 7, 'ipv6');
PRIVATE_NETWORKS.addSubnet('fe80::', 10, 'ipv6');

/** Shared with strangers, so not private, but proxies have such addresses (RFC 6598). */
const SHARED_NETWORK = new BlockList();
SHARED_NETWORK.addSubnet('100.64.0.0', 10, 'ipv4');

/**
 * The network that a request comes from: an IPv4 address, or the first 64 bits of an IPv6 address, which one host may
 * choose from freely. Undefined if a proxy on a private network forwarded the request although TRUST_PROXY is not set: the
 * address of that proxy says nothing about its clients. A client on the internet cannot pose as such a proxy.
 */
export function clientNetworkOf({
  app,
  ip,
  headers,
}: Pick<Request, 'app' | 'ip' | 'headers'>): string | undefined {
  if (ip === undefined) {
    return undefined;
  }
  const isForwarded = FORWARDING_HEADERS.some((name) => headers[name] !== undefined);
  const isOfProxy =
    isForwarded && (isPrivateAddress(ip) || SHARED_NETWORK.check(withoutPrefixZoneAndPort(ip)));
  return isOfProxy && app.get('trust proxy') === false ? undefined : networkOf(ip);
}

/** Whether an address is one of this machine or of a private network. */
export function isPrivateAddress(address: string): boolean {
  const ip = withoutPrefixZoneAndPort(address);
  return PRIVATE_NETWORKS.check(ip, isIPv6(ip) ? 'ipv6' : 'ipv4');
}

/**
 * The part of an address that may be stored: the first 24 bits of an IPv4 address, or the first 48 of an IPv6 address. Null if a
 * proxy named its client in another way, such as `unknown` (RFC 7239, section 6).
 */
export function truncateAddress(address: string): string | null {
  if (isIP(withoutPrefixZoneAndPort(address)) === 0) {
    return null;
  }
  const network = networkOf(address, GROUPS_OF_IPV6_SITE);
  return isIPv4(network) ? network.replace(/\d+$/, '0/24') : `${network}::/48`;
}

export function networkOf(address: string, ipv6Groups = GROUPS_OF_IPV6_NETWORK): string {
  const ip = withoutPrefixZoneAndPort(address);
  if (!isIPv6(ip)) {
    return ip;
  }
  const [before, after = []] = new URL(`http://[${ip}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((groups) => groups.split(':').filter(Boolean)) as [string[], string[]?];
  const zeros = Array<string>(IPV6_GROUPS - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].slice(0, ipv6Groups).join(':');
}

/**
 * Removes the prefix of an IPv4 address on an IPv6 socket, the zone of a link-local address, and the port that some proxies
 * forward with the address, such as Azure Application Gateway: `203.0.113.7:50123`, `[2001:db8::1]:50123`.
 */
function withoutPrefixZoneAndPort(address: string): string {
  const [, ip = address] =
    /^\[(.+)\](?::\d+)?$/.exec(address) ?? /^(\d+(?:\.\d+){3}):\d+$/.exec(address) ?? [];
  return ip.replace(/^::ffff:(?=\d+\.)/i, '').split('%')[0]!;
}
