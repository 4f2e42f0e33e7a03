import { toUrl } from '../../process/to-url.js';
import { Invalid } from '../../validation/parsers.js';

const MAX_LENGTH = 2_048;
const MAX_PORT = 65_535;
const PORT = /^https?:\/\/[^/?#]*:(\d+)(?:[/?#]|$)/i;
const FORM = 'must be a URL such as https://example.com/webhooks';

/** Parses the URL of an endpoint. Decimal, octal, and hexadecimal hosts become the IP addresses that they stand for. */
export function parseEndpoint(input: unknown): string | Invalid {
  if (typeof input !== 'string') {
    return new Invalid(FORM);
  }
  if (input.length > MAX_LENGTH) {
    return new Invalid(`must have at most ${MAX_LENGTH} characters`);
  }
  const url = toUrl(input);
  if (!url) {
    const port = Number(PORT.exec(input)?.[1]);
    return new Invalid(port > MAX_PORT ? `must have a port of at most ${MAX_PORT}` : FORM);
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return new Invalid(FORM);
  }
  if (url.username !== '' || url.password !== '') {
    return new Invalid('must not contain a user name or a password: events are signed instead');
  }
  url.hash = '';
  return url.href;
}

const NO_ADDRESS = 'The host of the endpoint has no address: check its spelling and its DNS records.';
const CLOSED = 'The endpoint closed the connection before its response was complete.';
const UNREACHABLE = 'No connection could be made: check the network between the service and the endpoint.';
const UNKNOWN_AUTHORITY =
  'No authority that the service knows signed the certificate of the endpoint, or its chain is incomplete.';

const NOT_HTTP = 'The response of the endpoint is not HTTP: check its port.';

/** Explanations for people, by the error code of Node.js, c-ares, or OpenSSL. */
const EXPLANATIONS: Readonly<Record<string, string>> = {
  ENOTFOUND: NO_ADDRESS,
  ENODATA: NO_ADDRESS,
  ESERVFAIL: 'The name server could not look up the host of the endpoint.',
  ETIMEOUT: 'No name server answered in time.',
  EAI_AGAIN: 'No name server answered in time.',
  ECONNREFUSED: 'Nothing accepts connections at the port of the endpoint.',
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  ETIMEDOUT: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EPROTO:
    'The endpoint does not speak TLS as https requires: check the port, and that the server has TLS 1.2 or later.',
  CERT_HAS_EXPIRED: 'The certificate of the endpoint has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the endpoint is for another host.',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
};

/** Says why a request got no response. The error code comes first, because programs and runbooks search for it. */
export function describeFailure({ code, name }: NodeJS.ErrnoException): string {
  const failed = `The request failed: ${code ?? name}.`;
  const explanation = EXPLANATIONS[code ?? ''] ?? (code?.startsWith('HPE_') && NOT_HTTP);
  return explanation ? `${failed} ${explanation}` : failed;
}

/**
 * Parses the header Retry-After (RFC 9110, section 10.2.3): seconds or a date.
 *
 * @returns milliseconds, or null if there is no such time in the future
 */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  if (header === undefined) {
    return null;
  }
  const milliseconds = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now.getTime();
  return milliseconds > 0 ? milliseconds : null;
}
