import { setImmediate } from 'node:timers/promises';
import { requireArray } from './parsing/batch.js';
import type { DeliveryEvent } from './parsing/delivery-event.js';

/** Reading an event takes about a tenth of a millisecond. */
const EVENTS_PER_CHUNK = 100;

/**
 * Reads a batch a few events at a time, so that other requests need not wait for all of it.
 *
 * @throws {MalformedBodyError} when the batch has too many events
 */
export async function readInChunks(
  body: unknown,
  read: (part: unknown) => DeliveryEvent[] | Promise<DeliveryEvent[]>,
): Promise<DeliveryEvent[]> {
  if (!Array.isArray(body) || body.length <= EVENTS_PER_CHUNK) {
    return read(body);
  }
  const events: DeliveryEvent[] = [];
  for (let first = 0; first < requireArray(body).length; first += EVENTS_PER_CHUNK) {
    events.push(...(await read(body.slice(first, first + EVENTS_PER_CHUNK))));
    await setImmediate();
  }
  return events;
}
