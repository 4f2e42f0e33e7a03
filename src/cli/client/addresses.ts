import { text } from 'node:stream/consumers';
import { EXIT_CODE, OperatorError } from '../../process/operator-error.js';
import { openInput, STANDARD_INPUT } from '../input.js';

class NoAddressError extends OperatorError {
  override readonly name = 'NoAddressError';
  override readonly exitCode = EXIT_CODE.wrongUsage;
}

/** The addresses of a command line; those of standard input, one a line, for `-`. */
export async function readAddresses(args: string[]): Promise<string[]> {
  const addresses: string[] = [];
  for (const arg of args) {
    if (arg === STANDARD_INPUT) {
      const lines = (await text(openInput(STANDARD_INPUT))).split(/\r?\n/);
      addresses.push(...lines.map((line) => line.trim()).filter(Boolean));
    } else {
      addresses.push(arg);
    }
  }
  if (addresses.length === 0) {
    throw new NoAddressError('There is no address on standard input.');
  }
  return addresses;
}

export function* inBatches<Value>(values: Value[], size: number): Generator<Value[]> {
  for (let start = 0; start < values.length; start += size) {
    yield values.slice(start, start + size);
  }
}
