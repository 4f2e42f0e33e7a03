import type { Request } from 'express';
import { ServiceUnavailableError, ValidationError } from '../errors/errors.js';
import { sendError } from '../responses/response.js';

/** The sender of a request, as the guards of API keys, sessions, and sources record it. */
export interface KnownSender {
  caller?: { accountId: number; apiKeyId: string };
  visitor?: { accountId: number; personId: string };
  source?: { accountId: number; id: string };
}

/** Counts the requests of each sender that are under way in this instance. */
export class RequestCounts<Key> {
  private readonly counts = new Map<Key, number>();
  /** How many requests of all senders are counted. */
  total = 0;

  /**
   * Counts a request until it is released or its connection closes. A request whose connection is closed does not count.
   *
   * @returns releases it; null if the sender has reached the limit
   */
  begin(sender: Key, request: Request, limit: number): (() => void) | null {
    if (request.socket.destroyed || request.res?.closed) {
      return () => undefined;
    }
    const count = this.counts.get(sender) ?? 0;
    if (count >= limit) {
      return null;
    }
    this.counts.set(sender, count + 1);
    this.total++;
    let isCounted = true;
    const release = () => {
      if (isCounted) {
        isCounted = false;
        request.res?.off('close', release);
        request.socket.off('close', release);
        this.countDown(sender);
      }
    };
    // Not every response gets an event when the connection closes.
    request.res?.once('close', release);
    request.socket.once('close', release);
    return release;
  }

  private countDown(sender: Key): void {
    this.total--;
    const left = this.counts.get(sender)! - 1;
    if (left === 0) {
      this.counts.delete(sender);
    } else {
      this.counts.set(sender, left);
    }
  }
}

/** The most bodies of one sender that may be arriving, so that slow bodies of one sender do not block others. */
const MAX_ARRIVING = 250;
/** The most bodies of all senders. One person can be three senders: an account, its sources, and a recipient. */
const MAX_ALL_ARRIVING = 2_000;

type Sender = number | `sources of ${number}` | 'recipients' | 'anonymous';

const arriving = new RequestCounts<Sender>();

/** How many bodies are arriving. Their requests do not wait for the database yet. */
export function countArriving(): number {
  return arriving.total;
}

/**
 * The account whose key or person sent a request. Its sources have a separate limit, since anybody who knows the URL of a
 * source can send to it.
 */
function senderOf({ caller, visitor, source }: KnownSender): Sender {
  return (caller ?? visitor)?.accountId ?? (source ? `sources of ${source.accountId}` : 'anonymous');
}

/** The pieces of a body that has more must have at least {@link TINY_BYTES} on average. */
const MAX_TINY_PIECES = 4_096;
const TINY_BYTES = 16;

/**
 * Refuses a body that arrives in very many tiny pieces, and closes its connection. Each piece takes several hundred bytes of
 * memory until the body is complete, so 1 MiB in chunks of one byte would take 350 MiB.
 *
 * @returns stops counting
 */
function limitPieces(request: Request): () => void {
  let pieces = 0;
  let bytes = 0;
  const stop = () => request.off('data', count);
  const count = (piece: Buffer) => {
    pieces++;
    bytes += piece.length;
    if (pieces > MAX_TINY_PIECES && bytes < pieces * TINY_BYTES) {
      stop();
      request.res!.shouldKeepAlive = false;
      request.res!.once('finish', () => request.destroy());
      sendError(
        request.res!,
        ValidationError.ofRequest('The body arrived in thousands of tiny pieces. Send larger ones.'),
      );
    }
  };
  // Unlike `on`, this does not make the body flow before somebody reads it.
  request.prependListener('data', count);
  return stop;
}

/**
 * Reads a body that may still be arriving.
 *
 * @throws {ServiceUnavailableError} if too many bodies of the same sender, or of all senders, are still arriving
 */
export async function readArriving<Body>(
  request: Request & KnownSender,
  read: () => Promise<Body>,
  sender: Sender = senderOf(request),
): Promise<Body> {
  if (request.complete) {
    return read();
  }
  const release = arriving.total < MAX_ALL_ARRIVING ? arriving.begin(sender, request, MAX_ARRIVING) : null;
  if (!release) {
    throw new ServiceUnavailableError('Too many bodies are still arriving. Try again in a moment.');
  }
  const stopCounting = limitPieces(request);
  try {
    return await read();
  } finally {
    stopCounting();
    release();
  }
}
