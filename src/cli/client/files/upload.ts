import { accessSync, constants, createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { MAX_FILE_BYTES } from '../../../files/file-limits.js';
import { fileProblem } from '../../../process/file-problem.js';
import { OperatorError } from '../../../process/operator-error.js';
import { openInput, STANDARD_INPUT } from '../../input.js';
import { ApiProblem } from '../api.js';
import type { Progress } from '../text.js';

export interface Upload {
  /** Undefined for standard input. */
  filename: string | undefined;
  headers: Record<string, string>;
  /** Bytes to send; null if that is not known. */
  size: number | null;
  open(): Promise<Readable> | Readable;
}

const CONTENT_TYPES: Record<string, string> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  txt: 'text/plain',
};

/** The files that an argument names: a file, standard input, or those in a zip file. */
export async function uploadsOf(file: string): Promise<Upload[]> {
  if (file === STANDARD_INPUT) {
    const headers = { 'Content-Type': 'text/csv' };
    return [{ filename: undefined, headers, size: null, open: () => openInput(STANDARD_INPUT) }];
  }
  if (file.toLowerCase().endsWith('.zip')) {
    const uploads = await uploadsOfZip(file);
    if (uploads.length === 0) {
      throw new OperatorError(`${file} has no CSV, JSON or text file.`);
    }
    return uploads;
  }
  const size = sizeOf(file);
  return [{ filename: basename(file), headers: headersFor(file), size, open: () => createReadStream(file) }];
}

/** Opens a file, and shows how much of it has been read. */
export async function openWithProgress(
  { open, size }: Upload,
  progress: Progress,
  onPiece?: (piece: Buffer) => void,
): Promise<Readable> {
  const file = await open();
  let bytes = 0;
  file.on('data', (piece: Buffer) => {
    bytes += piece.length;
    progress.show(bytes, size);
    onPiece?.(piece);
  });
  return file;
}

/** The statuses if the service refuses the file itself: it is too large, or cannot be read. */
const REFUSED_FILE = [413, 422];

/** Whether the service refused the file itself, so that another one may be accepted. */
export function isRefusedFile(problem: unknown): problem is ApiProblem {
  return problem instanceof ApiProblem && REFUSED_FILE.includes(problem.status ?? 0);
}

/** Adds the name of the file to the service's refusal of the file itself. Other problems stay as they are. */
export function namingFile(problem: unknown, { filename }: Upload): unknown {
  if (filename === undefined || !isRefusedFile(problem)) {
    return problem;
  }
  const { message, status, exitCode, code } = problem;
  return new ApiProblem(`${filename}: ${message}`, status, exitCode, code);
}

function sizeOf(file: string): number {
  try {
    const stat = statSync(file);
    if (stat.isDirectory()) {
      throw new Error('it is a folder');
    }
    accessSync(file, constants.R_OK);
    return stat.size;
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${fileProblem(error)}`);
  }
}

function headersFor(file: string): Record<string, string> {
  const isCompressed = file.toLowerCase().endsWith('.gz');
  const name = isCompressed ? file.slice(0, -'.gz'.length) : file;
  const type = CONTENT_TYPES[name.split('.').at(-1)!.toLowerCase()] ?? 'text/csv';
  return { 'Content-Type': type, ...(isCompressed && { 'Content-Encoding': 'gzip' }) };
}

const IS_LIST = /(?:^|\/)(?!\.|__MACOSX)[^/]+\.(?:csv|json|ndjson|jsonl|txt)$/i;

/** The lists in a zip file, as Mandrill and Mailchimp export them: at most {@link MAX_FILE_BYTES} in all, unpacked. */
async function uploadsOfZip(file: string): Promise<Upload[]> {
  const { zip, lists } = await openZip(file);
  if (lists.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0) > MAX_FILE_BYTES) {
    throw new OperatorError(
      `The lists in ${file} have more than 1 GiB. Unpack it, and import its files one by one.`,
    );
  }
  for (const list of lists) {
    if (!(await isIntact(zip, list))) {
      throw new OperatorError(`${list.fileName} in ${file} is damaged. Download the file again.`);
    }
  }
  return lists.map((list) => ({
    filename: basename(list.fileName),
    headers: headersFor(list.fileName),
    size: list.uncompressedSize,
    open: () => zip.openReadStreamPromise(list),
  }));
}

async function openZip(file: string): Promise<{ zip: ZipFile; lists: Entry[] }> {
  const { openPromise } = await import('yauzl');
  sizeOf(file);
  try {
    const zip = await openPromise(file, { autoClose: false, lazyEntries: true });
    const lists: Entry[] = [];
    for await (const entry of zip.eachEntry()) {
      if (IS_LIST.test(entry.fileName) && !entry.fileName.startsWith('__MACOSX/')) {
        if (!entry.canDecodeFileData()) {
          throw new OperatorError(
            `${entry.fileName} in ${file} is encrypted, or not compressed with Deflate. Unpack the file.`,
          );
        }
        lists.push(entry);
      }
    }
    return { zip, lists };
  } catch (error) {
    throw error instanceof OperatorError
      ? error
      : new OperatorError(`${file} is not a zip file, or is damaged. Download it again.`);
  }
}

/** Reads a list before any is sent, because the service cannot detect a corrupted address. */
async function isIntact(zip: ZipFile, list: Entry): Promise<boolean> {
  try {
    let checksum = 0;
    for await (const piece of (await zip.openReadStreamPromise(list)) as AsyncIterable<Buffer>) {
      checksum = crc32(piece, checksum);
    }
    return checksum === list.crc32;
  } catch {
    return false;
  }
}
