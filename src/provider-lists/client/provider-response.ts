import type { IncomingMessage } from 'node:http';
import { parseRetryAfter } from '../../webhooks/endpoint/endpoint.js';
import { NOT_JSON, ProviderFailure, toProviderFailure } from './provider-failure.js';

const MAX_PAGE_CHARACTERS = 16 * 1024 * 1024;
const TOO_MANY_REQUESTS = 429;
const YEAR_SECONDS = 366 * 24 * 60 * 60;
/** The longest accepted pause, because a response that asks for a longer one may be wrong. */
const LONGEST_RETRY_AFTER_MS = 24 * 60 * 60 * 1_000;

/** The response of a provider. Its body can be read once. */
export class ProviderResponse {
  readonly status: number;
  readonly retryAfterMs: number | null;

  constructor(private readonly response: IncomingMessage) {
    this.status = response.statusCode!;
    this.retryAfterMs = retryAfterOf(response);
  }

  /** @throws {ProviderFailure} if the body is cut off */
  async *pieces(): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    try {
      for await (const piece of this.response as AsyncIterable<Buffer>) {
        yield decoder.decode(piece, { stream: true });
      }
    } catch (error) {
      throw toProviderFailure(error as NodeJS.ErrnoException);
    }
  }

  /** @throws {ProviderFailure} if the body is cut off, or too long for a page */
  async text(): Promise<string> {
    let text = '';
    for await (const piece of this.pieces()) {
      text += piece;
      if (text.length > MAX_PAGE_CHARACTERS) {
        throw new ProviderFailure('unexpected', 'The provider sent a page that is too long.');
      }
    }
    return text;
  }

  /** @throws {ProviderFailure} if the body is cut off, too long for a page, or not JSON */
  async json(): Promise<unknown> {
    const text = await this.text();
    try {
      return JSON.parse(text);
    } catch {
      throw new ProviderFailure('unavailable', NOT_JSON);
    }
  }

  /**
   * Reads only the beginning of the body, which may be a whole list.
   *
   * @throws {ProviderFailure} if it is not that of an object or an array
   */
  async requireJson(): Promise<void> {
    for await (const piece of this.pieces()) {
      const text = piece.trimStart();
      if (/^[[{]/.test(text)) {
        return;
      }
      if (text !== '') {
        break;
      }
    }
    throw new ProviderFailure('unavailable', NOT_JSON);
  }

  /** Closes the connection instead of reading the body. */
  destroy(): void {
    this.response.destroy();
  }
}

function retryAfterOf(response: IncomingMessage): number | null {
  const asked = pauseIn(response);
  return asked && Math.min(asked, LONGEST_RETRY_AFTER_MS);
}

/**
 * The pause in `Retry-After` or, without one, in the headers of SendGrid (a time in seconds since 1970), Mailgun (in milliseconds
 * since 1970), Resend, and Brevo (seconds).
 */
function pauseIn({ statusCode, headers }: IncomingMessage): number | null {
  const asked = parseRetryAfter(headers['retry-after'], new Date());
  const reset = Number(
    headers['x-ratelimit-reset'] ?? headers['ratelimit-reset'] ?? headers['x-sib-ratelimit-reset'] ?? NaN,
  );
  if (asked !== null || statusCode !== TOO_MANY_REQUESTS || !(reset > 0)) {
    return asked;
  }
  if (reset <= YEAR_SECONDS) {
    return reset * 1_000;
  }
  const at = reset > YEAR_SECONDS * 1_000 ? reset : reset * 1_000;
  return at > Date.now() ? at - Date.now() : null;
}
