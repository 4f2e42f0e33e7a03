import { Stopwatch } from './stopwatch.js';
import type { Measurement } from './job.js';

const MAX_REQUESTS = 2_000_000;
/** How long after the end the last answers may take. */
const PATIENCE_MS = 20_000;

/** Makes one request and calls back when it is answered rightly. */
export type Sender = (answered: () => void) => void;

/**
 * Keeps every sender busy, one request at a time, until the time is over, and waits for the answers on the way.
 *
 * @param failure - rejects when anything goes wrong on a connection
 */
export async function drive(
  senders: Sender[],
  seconds: number,
  failure: Promise<never>,
): Promise<Measurement> {
  const stopwatch = new Stopwatch(MAX_REQUESTS);
  const endMs = performance.now() + seconds * 1000;
  const drained = Promise.all(
    senders.map(
      (send) =>
        new Promise<void>((done) => {
          const next = (): void => {
            const startedMs = performance.now();
            if (startedMs >= endMs || stopwatch.isFull) {
              done();
              return;
            }
            send(() => {
              stopwatch.note(startedMs);
              next();
            });
          };
          next();
        }),
    ),
  );
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, fail) => {
    const message = 'the last answers did not come';
    timer = setTimeout(() => fail(new Error(message)), seconds * 1000 + PATIENCE_MS);
  });
  try {
    await Promise.race([drained, failure, tooLate]);
  } finally {
    clearTimeout(timer);
  }
  return stopwatch.read();
}
