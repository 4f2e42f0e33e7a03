const PREFIX = /^\/(?:suppressions|contacts)\//;
const PATH_IN_PATH = /(?:^|\/)(?:suppressions|contacts)\//;

/**
 * Encodes the slashes of an address in a path. The PHP and Java clients send addresses as they are, such as
 * `/suppressions/a/b@example.com`. A slash before an @ belongs to an address; no other path has one. A slash at its beginning must
 * be encoded: more likely, the client joined a base URL and a path with one slash too many, and must not learn that the address
 * is not suppressed. The same applies to another path of ours in the local part: the base URL ends in `/suppressions`.
 */
export function encodeAddressPath(url: string): string {
  const end = url.indexOf('?');
  const at = url.lastIndexOf('@', end < 0 ? undefined : end);
  const prefix = at < 0 ? undefined : PREFIX.exec(url)?.[0];
  if (!prefix) {
    return url;
  }
  const localPart = url.slice(prefix.length, at);
  return localPart.includes('/') && !localPart.startsWith('/') && !PATH_IN_PATH.test(localPart)
    ? prefix + localPart.replaceAll('/', '%2F') + url.slice(at)
    : url;
}

/**
 * Makes the path of an unsubscribe link decodable. Mail programs append to links and cut them, also within `%20`; the router
 * would refuse such a path before the page for recipients could explain it.
 */
export function encodeLinkPath(url: string): string {
  if (!url.startsWith('/u/')) {
    return url;
  }
  try {
    decodeURIComponent(url.split('?', 1)[0]!);
    return url;
  } catch {
    return url.replaceAll('%', '%25');
  }
}
