import { Invalid } from '../../validation/invalid.js';

const MAX_LENGTH = 2_048;
const FORM = 'must be a URL such as https://example.com/webhooks';

/** Parses the URL of an endpoint. Decimal, octal and hexadecimal hosts become the addresses that they stand for. */
export function parseEndpoint(input: unknown): string | Invalid {
  if (typeof input !== 'string' || input.length > MAX_LENGTH || !URL.canParse(input)) {
    return new Invalid(`${FORM}, of at most ${MAX_LENGTH} characters`);
  }
  const url = new URL(input);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return new Invalid(FORM);
  }
  if (url.username !== '' || url.password !== '') {
    return new Invalid('must not contain a user name or a password: events are signed instead');
  }
  url.hash = '';
  return url.href;
}
