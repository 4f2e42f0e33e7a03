/** Shorter times are noise. */
const LEAST_MS = 2;
const ATTEMPTS = 5;

/**
 * The CPU times of two pieces of work, in milliseconds: of one run, or the least of several while the first takes `ratio`
 * times as long as the second or longer.
 */
export async function cpuTimesOf(
  long: () => unknown,
  short: () => unknown,
  ratio: number,
): Promise<{ long: number; short: number }> {
  const least = { long: Infinity, short: Infinity };
  for (let count = 0; count < ATTEMPTS && !(least.long < least.short * ratio); count += 1) {
    least.short = Math.min(least.short, await cpuTimeOf(short));
    least.long = Math.min(least.long, await cpuTimeOf(long));
  }
  return least;
}

async function cpuTimeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return Math.max((user + system) / 1_000, LEAST_MS);
}
