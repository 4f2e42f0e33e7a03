import cluster from 'node:cluster';
import { once } from 'node:events';

/** Calls back when the primary tells this worker to end, with the signal that it acts as. */
export function onOrder(obey: (signal: string) => void): void {
  process.on('message', (message: { stop?: string }) => {
    if (message.stop !== undefined) {
      obey(message.stop);
    }
  });
}

/** Leaves new connections to the other workers. */
export async function leavePort(): Promise<void> {
  const { worker } = cluster;
  if (worker) {
    const left = once(worker, 'disconnect');
    worker.disconnect();
    await left;
  }
}
