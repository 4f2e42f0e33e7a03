import cluster from 'node:cluster';
import { once } from 'node:events';

/** Calls back when the primary process tells this worker to stop, with the signal to act on. */
export function onStopMessage(stop: (signal: string) => void): void {
  process.on('message', (message: { stop?: string }) => {
    if (message.stop !== undefined) {
      stop(message.stop);
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
