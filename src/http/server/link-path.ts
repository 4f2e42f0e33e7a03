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
