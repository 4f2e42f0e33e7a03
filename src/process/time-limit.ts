/**
 * Runs work with a signal that aborts when `stopping` does, or after a time limit. Unlike `AbortSignal.any`, this leaves no
 * reference in `stopping`, which lives as long as the process.
 */
export async function withTimeLimit<Result>(
  stopping: AbortSignal,
  ms: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  stopping.throwIfAborted();
  const end = new AbortController();
  const stop = () => end.abort(stopping.reason);
  const timeout = setTimeout(() => end.abort(new DOMException('It took too long.', 'TimeoutError')), ms);
  timeout.unref();
  stopping.addEventListener('abort', stop);
  try {
    return await work(end.signal);
  } finally {
    clearTimeout(timeout);
    stopping.removeEventListener('abort', stop);
  }
}
