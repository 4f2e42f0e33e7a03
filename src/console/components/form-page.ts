import type { IncomingMessage } from 'node:http';

/** The page that the person asked for, or that had the form. */
export function formPageOf({ method, url = '', headers: { referer = '' } }: IncomingMessage): string {
  if (method === 'GET') {
    return url;
  }
  const { pathname = url, search = '' } = URL.canParse(referer) ? new URL(referer) : {};
  return pathname + search;
}
