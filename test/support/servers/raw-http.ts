import { connect } from 'node:net';

/**
 * Sends bytes over a connection of its own.
 *
 * @param more - sent after the first bytes of the response
 * @returns everything received until the service closes the connection
 */
export function exchange(url: string, bytes: string | Buffer, more?: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on('data', (chunk) => chunks.push(chunk));
    if (more) {
      socket.once('data', () => socket.write(more));
    }
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    socket.on('error', reject);
  });
}
