import type { Request } from 'express';
import { ServiceUnavailableError } from '../errors/errors.js';
import type { IdentifiedRequest } from '../requests/identified-request.js';

/** A part of the requests that an instance lets wait, so that the slow bodies of one sender keep nobody else waiting. */
const MAX_ARRIVING = 250;

type Sender = number | `sources of ${number}` | 'recipients' | 'anonymous';

/** The number of bodies that are arriving from each sender. */
const arriving = new Map<Sender, number>();

/**
 * The account whose key or person sent a request. Its sources share places of their own, since anybody who knows the URL of one can
 * send to it.
 */
function senderOf({ caller, visitor, source }: IdentifiedRequest): Sender {
  return (caller ?? visitor)?.accountId ?? (source ? `sources of ${source.accountId}` : 'anonymous');
}

/**
 * Reads a body that may still be arriving.
 *
 * @throws {ServiceUnavailableError} if too many bodies of the same sender are still arriving
 */
export async function readArriving<Body>(
  request: Request & IdentifiedRequest,
  read: () => Promise<Body>,
  sender: Sender = senderOf(request),
): Promise<Body> {
  if (request.complete) {
    return read();
  }
  const count = arriving.get(sender) ?? 0;
  if (count >= MAX_ARRIVING) {
    throw new ServiceUnavailableError('Too many bodies are still arriving. Try again in a moment.');
  }
  arriving.set(sender, count + 1);
  let isCounted = true;
  const release = () => {
    if (isCounted) {
      isCounted = false;
      request.res?.off('close', release);
      request.socket.off('close', release);
      countDown(sender);
    }
  };
  // Not every parser ends when the connection closes, and not every response gets an event then.
  request.res?.once('close', release);
  request.socket.once('close', release);
  try {
    return await read();
  } finally {
    release();
  }
}

function countDown(sender: Sender): void {
  const left = arriving.get(sender)! - 1;
  if (left === 0) {
    arriving.delete(sender);
  } else {
    arriving.set(sender, left);
  }
}
