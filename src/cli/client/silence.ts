import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
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
  // The request itself reports only the first silence.
  request.once('socket', (socket: Socket) => {
    let bytesBefore = -1;
    // Twice in a row, because the first may only show that this process was suspended.
    const onSilence = () => {
      const bytes = socket.bytesRead + socket.bytesWritten;
      const waitsForUs = waitsForInput() || waitsForOutput();
      if (waitsForUs || bytes !== bytesBefore) {
        bytesBefore = waitsForUs ? -1 : bytes;
        socket.setTimeout(idleMs / 2);
      } else {
        request.destroy(new Error(`it was silent for ${idleMs / 1_000} seconds`));
      }
    };
    socket.setTimeout(idleMs / 2).on('timeout', onSilence);
    request.once('close', () => socket.setTimeout(0).off('timeout', onSilence));
  });
}
