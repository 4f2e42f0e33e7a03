import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { EXIT_CODE, operatorError } from '../../process/operator-error.js';
import { openInput } from '../input.js';
import { print } from '../output.js';
import { stopping } from '../stopping.js';
import type { Api } from './api.js';

const BATCH = 500;
const POLL_MS = 2_000;

class InvalidReceiptError extends operatorError(
  EXIT_CODE.wrongUsage,
  (line: number) =>
    `Line ${line} is not a receipt: it must be a JSON object, as "person erase" prints it. Nothing was erased.`,
) {}

interface Receipt {
  pseudonym: string;
  keep_block: boolean;
  reference: string;
  key: string;
}

interface Repetition {
  found: string[];
  next: string | null;
}

/** Repeats the erasures of a file of receipts, and waits until nothing is left to erase. */
export async function repeatErasures(api: Api, file: string): Promise<void> {
  const receipts = readReceipts(await text(openInput(file)));
  const latest = [...new Map(receipts.map((receipt) => [receipt.pseudonym, receipt])).values()];
  const erased = new Set<string>();
  for (let first = 0; first < latest.length; first += BATCH) {
    const batch = latest.slice(first, first + BATCH);
    for (let found = await search(api, batch); found.length > 0; found = await search(api, batch)) {
      found.forEach((pseudonym) => erased.add(pseudonym));
      await delay(POLL_MS, undefined, { signal: stopping.signal });
    }
  }
  const addresses = `${erased.size} ${erased.size === 1 ? 'address' : 'addresses'}`;
  await print(`Erased ${addresses} again, of ${receipts.length} receipts.`);
}

/** @returns the pseudonyms of the addresses that are being erased */
async function search(api: Api, receipts: Receipt[]): Promise<string[]> {
  const all: string[] = [];
  let after: string | null = null;
  do {
    const page: Repetition = await api.json<Repetition>('POST', '/erasures/repeat', {}, { receipts, after });
    all.push(...page.found);
    after = page.next;
  } while (after !== null);
  return all;
}

/** @throws {InvalidReceiptError} */
function readReceipts(content: string): Receipt[] {
  const lines = content.split(/\r?\n/);
  return lines.flatMap((line, index) => (line.trim() === '' ? [] : [readReceipt(line, index + 1)]));
}

function readReceipt(line: string, number: number): Receipt {
  try {
    const { pseudonym, keep_block, reference, key } = JSON.parse(line) as Receipt;
    if (
      [pseudonym, reference, key].every((part) => typeof part === 'string') &&
      typeof keep_block === 'boolean'
    ) {
      return { pseudonym, keep_block, reference, key };
    }
  } catch {
    // The error below says the same.
  }
  throw new InvalidReceiptError(number);
}
