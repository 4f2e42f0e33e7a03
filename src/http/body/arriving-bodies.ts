import type { Request } from 'express';
import { ServiceUnavailableError } from '../errors/errors.js';
import type { IdentifiedRequest } from '../requests/identified-request.js';
import { RequestCounts } from '../requests/request-counts.js';

/** A part of the requests that an instance lets wait, so that the slow bodies of one sender keep nobody else waiting. */
const MAX_ARRIVING = 250;

type Sender = number | `sources of ${number}` | 'recipients' | 'anonymous';

const arriving = new RequestCounts<Sender>();

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
  const release = arriving.begin(sender, request, MAX_ARRIVING);
  if (!release) {
    throw new ServiceUnavailableError('Too many bodies are still arriving. Try again in a moment.');
  }
  try {
    return await read();
  } finally {
    release();
  }
}
