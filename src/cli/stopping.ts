/** Aborted when a signal stops the command, with the name of the signal as the reason. */
export const stopping = new AbortController();

/**
 * Waits for a job of the service. If a signal stops the command, prints on standard error that the job goes on.
 *
 * @param hint - one or more sentences
 */
export async function watching<Result>(hint: string, watch: () => Promise<Result>): Promise<Result> {
  const say = (): void => console.error(hint);
  stopping.signal.addEventListener('abort', say, { once: true });
  try {
    return await watch();
  } finally {
    stopping.signal.removeEventListener('abort', say);
  }
}
