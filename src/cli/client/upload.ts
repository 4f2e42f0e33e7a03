import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { OperatorError } from '../../process/operator-error.js';
import { fileProblem } from '../file-problem.js';
import { openInput, STANDARD_INPUT } from '../input.js';
import { zipEntries } from './zip.js';

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
    const entries = await zipEntries(file);
    if (entries.length === 0) {
      throw new OperatorError(`${file} has no CSV, JSON or text file.`);
    }
    return entries.map(({ name, size, open }) => ({
      filename: basename(name),
      headers: headersFor(name),
      size,
      open,
    }));
  }
  const size = sizeOf(file);
  return [{ filename: basename(file), headers: headersFor(file), size, open: () => createReadStream(file) }];
}

function sizeOf(file: string): number {
  try {
    const stat = statSync(file);
    if (stat.isDirectory()) {
      throw new Error('it is a folder');
    }
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
