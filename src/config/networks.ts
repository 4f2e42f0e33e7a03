import { isIP } from 'node:net';

/** The names in Express's setting `trust proxy`. */
const PROXY_NAMES = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** A comma-separated list of addresses, networks, and Express's names for them; or `none`. */
export function isProxyList(value: string): boolean {
  return value === 'none' || value.split(',').every((proxy) => isProxy(proxy.trim()));
}

/** Express refuses a network of all addresses: everybody could then choose the address that counts as the client's. */
function isProxy(proxy: string): boolean {
  const isLimited = !/\/0+$/.test(proxy);
  return PROXY_NAMES.has(proxy) || isIP(proxy) !== 0 || (isNetwork(proxy) && isLimited);
}

export function isNetworkList(value: string): boolean {
  return value.split(',').every((network) => isNetwork(network.trim()));
}

/** Whether a text is a network in CIDR notation (RFC 4632, section 3.1), without a zone. */
function isNetwork(text: string): boolean {
  const [address, bits = '', ...rest] = text.split('/') as [string, string?, ...string[]];
  const maxBits = isIP(address) === 6 ? 128 : 32;
  const isAddress = isIP(address) !== 0 && !address.includes('%');
  return isAddress && /^\d{1,3}$/.test(bits) && Number(bits) <= maxBits && rest.length === 0;
}

/** Parses the networks in a setting. */
export function networksIn(list = ''): string[] {
  return list
    .split(',')
    .map((network) => network.trim())
    .filter((network) => network !== '');
}
