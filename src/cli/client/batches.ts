import { withCommas } from './text.js';

/** Sends addresses in batches. If one fails, standard error says how many addresses were processed before. */
export async function sendInBatches<Result>(
  addresses: string[],
  size: number,
  send: (emails: string[]) => Promise<{ data: Result[] }>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < addresses.length; start += size) {
    try {
      results.push(...(await send(addresses.slice(start, start + size))).data);
    } catch (problem) {
      if (start > 0) {
        console.error(
          `${withCommas(start)} of ${withCommas(addresses.length)} addresses were processed. Then:`,
        );
      }
      throw problem;
    }
  }
  return results;
}
