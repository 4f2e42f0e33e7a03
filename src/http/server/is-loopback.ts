const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Whether a host is this machine itself.
 *
 * @param hostname - as in `URL.hostname`, so an IPv6 address is in brackets
 */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}
