import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';

/**
 * Destroys a request when the service neither reads nor sends anything. The time in which it waits for our input or output
 * does not count.
 *
 * @param body - the file that is being sent
 */
export function limitSilence(request: ClientRequest, idleMs: number, body?: Readable): void {
  let response: IncomingMessage | undefined;
  request.once('response', (received) => (response = received));
  const waitsForInput = () => body !== undefined && !body.readableEnded && !request.writableNeedDrain;
  const waitsForOutput = () => response !== undefined && (response.complete || response.readableLength > 0);
  let waitedForUs = false;
  request.setTimeout(idleMs, () => {
    const waitsForUs = waitsForInput() || waitsForOutput();
    if (waitsForUs || waitedForUs) {
      waitedForUs = waitsForUs;
      request.socket?.setTimeout(idleMs);
    } else {
      request.destroy(new Error(`it was silent for ${idleMs / 1_000} seconds`));
    }
  });
}
