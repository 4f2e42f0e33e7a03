import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/**
 * Destroys a request when the service neither reads nor sends anything. The time during which it waits for our input or output
 * is not counted.
 *
 * @param body - the file that is being sent
 */
export function limitIdleTime(request: ClientRequest, idleMs: number, body?: Readable): void {
  let response: IncomingMessage | undefined;
  request.once('response', (received) => (response = received));
  const waitsForInput = () => body !== undefined && !body.readableEnded && !request.writableNeedDrain;
  const waitsForOutput = () => response !== undefined && (response.complete || response.readableLength > 0);
  // The request itself reports only the first timeout.
  request.once('socket', (socket: Socket) => {
    let bytesBefore = -1;
    // Twice in a row, because the first may only show that this process was suspended.
    const onTimeout = () => {
      const bytes = socket.bytesRead + socket.bytesWritten;
      const waitsForUs = waitsForInput() || waitsForOutput();
      if (waitsForUs || bytes !== bytesBefore) {
        bytesBefore = waitsForUs ? -1 : bytes;
        socket.setTimeout(idleMs / 2);
      } else {
        request.destroy(new Error(`no data for ${idleMs / 1_000} seconds`));
      }
    };
    socket.setTimeout(idleMs / 2).on('timeout', onTimeout);
    request.once('close', () => socket.setTimeout(0).off('timeout', onTimeout));
  });
}
