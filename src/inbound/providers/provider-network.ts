import { X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../../http/errors/api-error.js';
import { ServiceUnavailableError } from '../../http/errors/errors.js';
import { traceHeaders } from '../../tracing/tracing.js';
import { BadSignatureError } from './proof.js';
import type { Network } from './provider.js';

/** Below the deadline of a request. */
const CONFIRMATION_TIMEOUT_MS = 3_000;
/** Well below the time limit of the request. */
const CERTIFICATE_TIMEOUT_MS = 2_500;
const MAX_BYTES = 64 * 1024;
/** Amazon has a certificate or two for each region. */
const MAX_CERTIFICATES = 50;
const UNREACHABLE = 'The certificate of Amazon SNS cannot be fetched. Try again in a moment.';
const FAILURE_TTL_MS = 1_000;

/** All requests that the service sends to providers. */
export class ProviderNetwork implements Network {
  private readonly certificates = new LRUCache<string, Promise<X509Certificate>>({
    max: MAX_CERTIFICATES,
    ttlResolution: 0,
  });

  constructor(private readonly fetchUrl: typeof fetch) {}

  /**
   * Fetches a certificate of Amazon SNS and caches it forever, because the content of a URL never changes. Simultaneous callers
   * share a request. Callers validate the URL.
   */
  fetchCertificate(url: string): Promise<X509Certificate> {
    const cached = this.certificates.get(url);
    if (cached) {
      return cached;
    }
    const certificate = fetchCertificate(this.fetchUrl, url);
    this.certificates.set(url, certificate);
    certificate.catch(() => this.certificates.set(url, certificate, { ttl: FAILURE_TTL_MS }));
    return certificate;
  }

  /**
   * Confirms a subscription. It may be confirmed repeatedly.
   *
   * @throws {ServiceUnavailableError} so that the provider retries
   */
  async confirm(url: string): Promise<void> {
    const response = await this.fetchUrl(url, {
      redirect: 'error',
      headers: traceHeaders(),
      signal: AbortSignal.timeout(CONFIRMATION_TIMEOUT_MS),
    }).catch(() => undefined);
    await response?.body?.cancel();
    if (!response?.ok) {
      throw new ServiceUnavailableError('The subscription cannot be confirmed. Try again in a moment.');
    }
  }
}

/**
 * @throws {BadSignatureError} if the certificate does not exist
 * @throws {ServiceUnavailableError} if Amazon is unreachable: SNS retries after 503, but not after 401
 */
async function fetchCertificate(fetchUrl: typeof fetch, url: string): Promise<X509Certificate> {
  try {
    const response = await fetchUrl(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(CERTIFICATE_TIMEOUT_MS),
    });
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
function requireCertificate(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
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
