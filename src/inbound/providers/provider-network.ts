import { ServiceUnavailableError } from '../../http/errors/errors.js';
import { traceHeaders } from '../../tracing/tracing.js';
import type { Network } from './provider.js';
import { createCertificateFetcher } from './ses/fetch-certificate.js';

/** Below the deadline of a request. */
const TIMEOUT_MS = 3_000;

/** All requests that the service sends to providers. */
export class ProviderNetwork implements Network {
  readonly fetchCertificate: (url: string) => Promise<string>;

  constructor(private readonly fetchUrl: typeof fetch) {
    this.fetchCertificate = createCertificateFetcher(fetchUrl);
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
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(() => undefined);
    await response?.body?.cancel();
    if (!response?.ok) {
      throw new ServiceUnavailableError('The subscription cannot be confirmed. Try again in a moment.');
    }
  }
}
