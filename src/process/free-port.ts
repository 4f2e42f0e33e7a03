import { once } from 'node:events';
import { createServer } from 'node:net';
import { OperatorError, messageFor } from './operator-error.js';

/**
 * Opens and closes a port, so that a port that is in use is reported before anything is started.
 *
 * @param setting - the name of the setting for the port
 * @throws {OperatorError}
 */
export async function requireFreePort(host: string, port: number, setting: string): Promise<void> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new OperatorError(messageFor(error as Error, setting) ?? (error as Error).message);
  }
  server.close();
  await once(server, 'close');
}
