import { text } from 'node:stream/consumers';
import type { RepeatedErasuresDto } from '../../contacts/erasure/repeats.dto.js';
import { UnreadableFileError } from '../../files/errors.js';
import { toUtf8 } from '../../files/streams.js';
import { fileProblem } from '../../process/file-problem.js';
import { OperatorError, UsageError } from '../../process/operator-error.js';
import { openInput } from '../input.js';
import { print } from '../output.js';
import { stopping, watching } from '../stopping.js';
import type { Api } from './api.js';
import { poll, retriesAfterFirst } from './reads.js';

/** One less than the service accepts. */
const BATCH = 499;
const POLL_MS = 2_000;
const GO_ON = 'Erasures that have begun go on. Repeat the command for the others.';

interface Receipt {
  pseudonym: string;
  keep_block: boolean;
  reference: string;
  created_at: string;
  key: string;
}

/** Repeats the erasures of a file of receipts, and waits until nothing is left to erase. */
export async function repeatErasures(api: Api, file: string): Promise<void> {
  const receipts = readReceipts(await read(file));
  const oldestFirst = receipts.toSorted((one, other) => one.created_at.localeCompare(other.created_at));
  const latest = [...new Map(oldestFirst.map((receipt) => [receipt.pseudonym, receipt])).values()];
  // After `secrets rotate`, only the keys of later receipts can be read.
  const newest = oldestFirst.slice(-1);
  const { erased, stay } = await watching(GO_ON, () => repeat(api, latest, newest));
  for (const { pseudonym, reference } of latest.filter((receipt) => stay.has(receipt.pseudonym))) {
    await print(
      `Not erased, because it was suppressed or opted out after the erasure: ${pseudonym} (${reference})`,
    );
  }
  const addresses = `${erased.size} ${erased.size === 1 ? 'address' : 'addresses'}`;
  await print(`Erased ${addresses} again, of ${receipts.length} receipts.`);
}

/** @returns the pseudonyms of what was erased, and of what came back after its erasure */
async function repeat(
  api: Api,
  receipts: Receipt[],
  newest: Receipt[],
): Promise<{ erased: Set<string>; stay: Set<string> }> {
  const send = retriesAfterFirst('An erasure that has begun');
  const erased = new Set<string>();
  const stay = new Set<string>();
  for (let first = 0; first < receipts.length; first += BATCH) {
    const batch = [...receipts.slice(first, first + BATCH), ...newest];
    await poll(async () => {
      const { found, since } = await search(batch, (body) => send(() => api.post('/erasures/repeat', body)));
      since.forEach((pseudonym) => stay.add(pseudonym));
      found.forEach((pseudonym) => erased.add(pseudonym));
      return found.length === 0 || undefined;
    }, POLL_MS);
  }
  return { erased, stay };
}

async function search(
  receipts: Receipt[],
  post: (body: object) => Promise<RepeatedErasuresDto>,
): Promise<{ found: string[]; since: string[] }> {
  const found: string[] = [];
  const since: string[] = [];
  let after: string | null = null;
  do {
    const page: RepeatedErasuresDto = await post({ receipts, after });
    found.push(...page.found);
    since.push(...page.reported_since);
    after = page.next;
  } while (after !== null);
  return { found, since };
}

async function read(file: string): Promise<string> {
  try {
    return await text(toUtf8(openInput(file)));
  } catch (error) {
    stopping.signal.throwIfAborted();
    const problem = error instanceof UnreadableFileError ? error.message : `${fileProblem(error)}.`;
    throw new OperatorError(`${file} cannot be read: ${problem} Nothing was erased.`);
  }
}

function readReceipts(content: string): Receipt[] {
  const lines = content.split(/\r?\n/);
  return lines.flatMap((line, index) => (line.trim() === '' ? [] : [readReceipt(line, index + 1)]));
}

function readReceipt(line: string, number: number): Receipt {
  try {
    const { pseudonym, keep_block, reference, created_at, key } = JSON.parse(line) as Receipt;
    if (
      [pseudonym, reference, created_at, key].every((part) => typeof part === 'string') &&
      typeof keep_block === 'boolean'
    ) {
      return { pseudonym, keep_block, reference, created_at, key };
    }
  } catch {
    // The error below says the same.
  }
  throw new UsageError(
    `Line ${number} is not a receipt: it must be a JSON object, as "person erase" prints it. Nothing was erased.`,
  );
}
