import type { Readable } from 'node:stream';
import { MAX_FILE_BYTES } from '../../files/file-limits.js';
import { OperatorError } from '../../process/operator-error.js';
import { fileProblem } from '../file-problem.js';

const IS_LIST = /(?:^|\/)(?!\.|__MACOSX)[^/]+\.(?:csv|json|ndjson|jsonl|txt)$/i;

export interface ZipEntry {
  name: string;
  /** Bytes, unpacked. */
  size: number;
  open(): Promise<Readable>;
}

/** The lists in a zip file, as Mandrill and Mailchimp export them: at most {@link MAX_FILE_BYTES} in all, unpacked. */
export async function zipEntries(file: string): Promise<ZipEntry[]> {
  const entries = await readEntries(file);
  if (entries.reduce((sum, { size }) => sum + size, 0) > MAX_FILE_BYTES) {
    throw new OperatorError(
      `The lists in ${file} have more than 1 GiB. Unpack it, and import its files one by one.`,
    );
  }
  return entries;
}

async function readEntries(file: string): Promise<ZipEntry[]> {
  const { openPromise } = await import('yauzl');
  try {
    const zip = await openPromise(file, { autoClose: false, lazyEntries: true });
    const entries: ZipEntry[] = [];
    for await (const entry of zip.eachEntry()) {
      const { fileName, uncompressedSize } = entry;
      if (IS_LIST.test(fileName) && !fileName.startsWith('__MACOSX/')) {
        entries.push({
          name: fileName,
          size: uncompressedSize,
          open: () => zip.openReadStreamPromise(entry),
        });
      }
    }
    return entries;
  } catch (error) {
    throw new OperatorError(`${file} cannot be read as a zip file: ${fileProblem(error)}`);
  }
}
