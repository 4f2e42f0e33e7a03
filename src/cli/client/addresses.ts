import { text } from 'node:stream/consumers';
import { InvalidEmailAddress, parseEmailAddress } from '../../email-address/email-address.js';
import { withoutName } from '../../email-address/mailbox.js';
import { UsageError } from '../../process/operator-error.js';
import { printable } from '../../process/printable.js';
import { openInput, STANDARD_INPUT } from '../input.js';
import { withCommas } from './text.js';

const MAX_REPORTED = 10;

/** Returns the addresses on a command line, or, for `-`, on standard input, one per line. Display names are removed. */
export async function readAddresses(args: string[]): Promise<string[]> {
  const read: string[][] = [];
  for (const arg of args) {
    read.push(arg === STANDARD_INPUT ? await readLines() : [arg]);
  }
  const addresses = read.flat();
  if (addresses.length === 0) {
    throw new UsageError('There is no address on standard input.');
  }
  return withoutNames(addresses);
}

/** The lines of standard input that are not empty. */
async function readLines(): Promise<string[]> {
  const lines = (await text(openInput(STANDARD_INPUT))).split(/\r?\n/);
  return lines.map((line) => line.trim()).filter(Boolean);
}

/** Removes display names, which the service does not accept, and reports what it reads as the address. */
export function withoutNames(given: string[]): string[] {
  const addresses = given.map(withoutName);
  const named = given.flatMap((arg, index) => (arg === addresses[index] ? [] : [[arg, addresses[index]]]));
  for (const [arg, address] of named.slice(0, MAX_REPORTED)) {
    console.error(printable(`Read "${arg}" as ${address}.`));
  }
  if (named.length > MAX_REPORTED) {
    console.error(`Read ${named.length - MAX_REPORTED} more without the names.`);
  }
  return addresses;
}

/**
 * Reads addresses for a change. They are validated here, so that nothing is sent if one of them is invalid.
 *
 * @returns each address once, in its normal form
 * @throws {UsageError}
 */
export async function readValidAddresses(args: string[]): Promise<string[]> {
  const addresses = await readAddresses(args);
  const problems = addresses.flatMap((address) => {
    const problem = problemWith(address);
    return problem ? [`"${address}" is not an email address: it ${problem}.`] : [];
  });
  if (problems.length > 0) {
    const others =
      problems.length > MAX_REPORTED ? [`${problems.length - MAX_REPORTED} more are invalid.`] : [];
    throw new UsageError([...problems.slice(0, MAX_REPORTED), ...others, 'Nothing was changed.'].join('\n'));
  }
  return [...new Set(addresses.map((address) => String(parseEmailAddress(address))))];
}

/** Why a text is not an address, as the end of a sentence. */
export function problemWith(address: string): string | undefined {
  const parsed = parseEmailAddress(address);
  return parsed instanceof InvalidEmailAddress ? parsed.problem : undefined;
}

/** Sends addresses in batches. If a batch fails, standard error says how many addresses were processed before it. */
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
