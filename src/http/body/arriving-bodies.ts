import type { IncomingMessage } from 'node:http';
import { ServiceUnavailableError } from '../errors/errors.js';
import type { IdentifiedRequest } from '../requests/identified-request.js';

/** A part of the requests that an instance lets wait, so that the slow bodies of one account keep nobody else waiting. */
const MAX_ARRIVING = 250;

/** The number of bodies that are arriving, by account; those without an account count together. */
const arriving = new Map<number | null, number>();

/**
 * Reads a body that may still be arriving.
 *
 * @throws {ServiceUnavailableError} if too many bodies of the same account are still arriving
 */
export async function readArriving<Body>(
  request: IncomingMessage & IdentifiedRequest,
  read: () => Promise<Body>,
): Promise<Body> {
  if (request.complete) {
    return read();
  }
  const { caller, visitor, source } = request;
  const accountId = (caller ?? visitor ?? source)?.accountId ?? null;
  const count = arriving.get(accountId) ?? 0;
  if (count >= MAX_ARRIVING) {
    throw new ServiceUnavailableError('Too many bodies are still arriving. Try again in a moment.');
  }
  arriving.set(accountId, count + 1);
  try {
    return await read();
  } finally {
    const left = arriving.get(accountId)! - 1;
    if (left === 0) {
      arriving.delete(accountId);
    } else {
      arriving.set(accountId, left);
    }
  }
}
