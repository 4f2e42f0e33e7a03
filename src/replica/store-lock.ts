import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { ReplicaInUseError } from './errors.js';
import type { Root } from './copy-databases.js';

export const LOCK_KEY = 'lock';
/** The limit of macOS, which is the shortest, in bytes. */
const MAX_SOCKET_PATH = 103;
/** Error codes of a connection to the socket of a process that has ended. */
const ENDED = ['ENOENT', 'ECONNREFUSED'];

/**
 * Reserves a folder for one replica. The holder listens on a socket in the folder, and the store contains the name of that
 * socket. When a process ends, in whatever way, its socket refuses connections. Unlike process ids, this also works across
 * containers.
 */
export class StoreLock {
  private constructor(private readonly server: Server) {}

  /** @throws {ReplicaInUseError} */
  static async take(root: Root, folder: string): Promise<StoreLock> {
    const name = `lock-${randomBytes(6).toString('hex')}`;
    const server = createServer((socket) => socket.destroy()).unref();
    // In a cluster, the primary process owns sockets that are not exclusive.
    server.listen({ path: socketAt(folder, name), exclusive: true });
    await once(server, 'listening').catch((cause: unknown) => {
      throw new Error(`${folder} cannot hold the socket that keeps it to one replica. Use a local disk.`, {
        cause,
      });
    });
    const lock = new StoreLock(server);
    try {
      await takeOver(root, folder, name);
    } catch (error) {
      await lock.release();
      throw error;
    }
    return lock;
  }

  async release(): Promise<void> {
    this.server.close();
    await once(this.server, 'close');
  }
}

/** A transaction compares and writes the name, so if several processes find an abandoned lock, only one of them gets it. */
async function takeOver(root: Root, folder: string, name: string): Promise<void> {
  for (;;) {
    const holder = root.get(LOCK_KEY) as string | undefined;
    if (holder !== undefined) {
      if (await isHeld(socketAt(folder, holder))) {
        throw new ReplicaInUseError(folder);
      }
      await rm(socketAt(folder, holder), { force: true }).catch(() => undefined);
    }
    const isTaken = root.transactionSync(() => {
      const isSame = root.get(LOCK_KEY) === holder;
      if (isSame) {
        void root.put(LOCK_KEY, name);
      }
      return isSame;
    });
    if (isTaken) {
      return;
    }
  }
}

async function isHeld(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    return !ENDED.includes((error as NodeJS.ErrnoException).code!);
  } finally {
    socket.destroy();
  }
}

function socketAt(folder: string, name: string): string {
  if (process.platform === 'win32') {
    return `\\\\.\\pipe\\replica-${name}`;
  }
  const path = join(folder, name);
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH) {
    throw new RangeError(
      `path must have at most ${MAX_SOCKET_PATH - name.length - 1} bytes as an absolute path.`,
    );
  }
  return path;
}
