/**
 * Does work with a signal that is aborted when `stopping` is aborted, or after a time. Unlike `AbortSignal.any`, this leaves no
 * reference in `stopping`, which lives as long as the process.
 */
export async function withTimeLimit<Result>(
  stopping: AbortSignal,
  ms: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  stopping.throwIfAborted();
  const timeout = AbortSignal.timeout(ms);
  const end = new AbortController();
  const abort = () => end.abort(stopping.aborted ? stopping.reason : timeout.reason);
  [stopping, timeout].forEach((signal) => signal.addEventListener('abort', abort));
  try {
    return await work(end.signal);
  } finally {
    stopping.removeEventListener('abort', abort);
  }
}
