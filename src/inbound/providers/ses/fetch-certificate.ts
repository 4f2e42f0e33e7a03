import { X509Certificate } from 'node:crypto';
import { ApiError } from '../../../http/errors/api-error.js';
import { ServiceUnavailableError } from '../../../http/errors/errors.js';
import { BadSignatureError } from '../errors.js';

/** Well below the time limit of the request. */
const TIMEOUT_MS = 2_500;
const MAX_BYTES = 64 * 1024;
/** Amazon has a certificate or two for each region. */
const MAX_CERTIFICATES = 50;
const UNREACHABLE = 'The certificate of Amazon SNS cannot be fetched. Try again in a moment.';

const FAILURE_TTL_MS = 1_000;

interface CachedCertificate {
  certificate: Promise<string>;
  /** On the clock of `performance`. */
  failedAt?: number;
}

/**
 * Fetches the certificates of Amazon SNS and caches them forever, because the content of a URL never changes. Simultaneous
 * callers share a request. Callers validate the URLs.
 */
export function createCertificateFetcher(fetchUrl: typeof fetch): (url: string) => Promise<string> {
  const cache = new Map<string, CachedCertificate>();
  return (url) => {
    const cached = cache.get(url);
    const entry = cached && !isStale(cached) ? cached : startFetch(fetchUrl, url);
    cache.delete(url);
    cache.set(url, entry);
    if (cache.size > MAX_CERTIFICATES) {
      cache.delete(cache.keys().next().value!);
    }
    return entry.certificate;
  };
}

function startFetch(fetchUrl: typeof fetch, url: string): CachedCertificate {
  const entry: CachedCertificate = { certificate: fetchCertificate(fetchUrl, url) };
  entry.certificate.catch(() => (entry.failedAt = performance.now()));
  return entry;
}

function isStale({ failedAt }: CachedCertificate): boolean {
  return failedAt !== undefined && performance.now() > failedAt + FAILURE_TTL_MS;
}

/**
 * @throws {BadSignatureError} if the certificate does not exist
 * @throws {ServiceUnavailableError} if Amazon is unreachable: SNS retries after 503, but not after 401
 */
async function fetchCertificate(fetchUrl: typeof fetch, url: string): Promise<string> {
  try {
    const response = await fetchUrl(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (response.ok && response.body) {
      return requireCertificate(await readBounded(response.body));
    }
    await response.body?.cancel();
    if (response.status === 403 || response.status === 404) {
      throw new BadSignatureError('its certificate does not exist');
    }
    throw new ServiceUnavailableError(UNREACHABLE);
  } catch (error) {
    throw error instanceof ApiError ? error : new ServiceUnavailableError(UNREACHABLE);
  }
}

/** The response of a proxy must not be cached. */
function requireCertificate(pem: string): string {
  try {
    return new X509Certificate(pem).toString();
  } catch {
    throw new ServiceUnavailableError(UNREACHABLE);
  }
}

async function readBounded(body: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > MAX_BYTES) {
      throw new BadSignatureError('its certificate is too long');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('latin1');
}
