import type { IncomingMessage } from 'node:http';
import { ServiceUnavailableError } from '../errors/errors.js';
import type { TracedResponse } from './response.js';

/**
 * The bytes of responses that an account may leave unread in an instance. The pages of an export take five times as much memory.
 */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;
/** Shorter responses are not counted: they fit into the buffers of a connection. */
const LEAST_COUNTED_BYTES = 64 * 1024;

type Sender = { accountId: number } | undefined;

/** Large responses whose callers may read slowly or not at all, by account. */
const unread = new Map<number | undefined, Set<TracedResponse>>();

/** Counts what the caller has not read of a response that was sent, or whose stream begins. */
export function countUnread(response: TracedResponse, isStream = false): void {
  const accountId = accountOf(response.req);
  const isCounted = isStream || response.writableLength >= LEAST_COUNTED_BYTES;
  if (accountId === undefined || !isCounted || isOver(response)) {
    return;
  }
  const responses = unread.get(accountId) ?? new Set();
  unread.set(accountId, responses.add(response));
  response.once('close', () => forget(accountId, response));
}

/**
 * Keeps a caller that does not read its responses from filling the memory of the instance.
 *
 * @throws {ServiceUnavailableError} if the account has too many unread bytes
 */
export function requireFewUnread(request: IncomingMessage): void {
  const accountId = accountOf(request);
  let bytes = 0;
  for (const response of unread.get(accountId) ?? []) {
    // A response that is queued behind another one gets no event when the connection closes.
    if (isOver(response)) {
      forget(accountId, response);
    } else {
      bytes += response.writableLength;
    }
  }
  if (bytes > MAX_UNREAD_BYTES) {
    throw new ServiceUnavailableError(
      'Too many responses to earlier requests have not been read. Read them, and try again.',
    );
  }
}

function isOver({ closed, req }: TracedResponse): boolean {
  return closed || req.socket.destroyed;
}

function forget(accountId: number | undefined, response: TracedResponse): void {
  const responses = unread.get(accountId);
  responses?.delete(response);
  if (responses?.size === 0) {
    unread.delete(accountId);
  }
}

function accountOf(request: IncomingMessage & { caller?: Sender; visitor?: Sender }): number | undefined {
  return (request.caller ?? request.visitor)?.accountId;
}
