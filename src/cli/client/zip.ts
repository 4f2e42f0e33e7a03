import type { Readable } from 'node:stream';
import { OperatorError } from '../../process/operator-error.js';

const IS_LIST = /(?:^|\/)(?!\.|__MACOSX)[^/]+\.(?:csv|json|ndjson|jsonl|txt)$/i;

export interface ZipEntry {
  name: string;
  /** Bytes, unpacked. */
  size: number;
  open(): Promise<Readable>;
}

/** The lists in a zip file, as Mandrill and Mailchimp export them. */
export async function zipEntries(file: string): Promise<ZipEntry[]> {
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
    throw new OperatorError(`${file} cannot be read as a zip file: ${(error as Error).message}`);
  }
}
