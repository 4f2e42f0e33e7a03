import { setImmediate } from 'node:timers/promises';
import { countLineFeeds } from './csv-rows.js';
import { UnreadableFileError } from './errors.js';

/** A file that is arriving: its beginning, and the whole file as a stream. */
export interface Peeked {
  head: Buffer;
  all: AsyncIterable<Buffer>;
}

/**
 * Reads the beginning of a file until it is enough, or the file ends.
 *
 * @param isEnough - gets each piece, and the length with it
 */
export async function peek(
  file: AsyncIterable<Buffer>,
  isEnough: (piece: Buffer, length: number) => boolean,
): Promise<Peeked> {
  const pieces = file[Symbol.asyncIterator]();
  const parts: Buffer[] = [];
  let length = 0;
  for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
    parts.push(next.value);
    length += next.value.length;
    if (isEnough(next.value, length)) {
      break;
    }
  }
  const head = Buffer.concat(parts);
  return { head, all: continued(head, pieces) };
}

/** Yields all pieces of a file whose first piece was already read. Stops the source if the reader stops. */
export async function* continued<Piece>(first: Piece, rest: AsyncIterator<Piece>): AsyncGenerator<Piece> {
  try {
    yield first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      yield next.value;
    }
  } finally {
    await rest.return?.();
  }
}

/** Reads the next value while the caller handles the current one, and lets other work run in between. */
export async function* readAhead<Value>(source: AsyncIterator<Value>): AsyncGenerator<Value> {
  const read = async (): Promise<IteratorResult<Value>> => {
    await setImmediate();
    return source.next();
  };
  let next = read();
  try {
    for (let result = await next; !result.done; result = await next) {
      next = read();
      // It may fail while the caller still handles the current value.
      next.catch(() => undefined);
      yield result.value;
    }
  } finally {
    await next.catch(() => undefined);
    await source.return?.();
  }
}

export type Utf16 = 'utf-16le' | 'utf-16be';

export const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF16_BOMS: [bom: Buffer, encoding: Utf16][] = [
  [Buffer.from([0xff, 0xfe]), 'utf-16le'],
  [Buffer.from([0xfe, 0xff]), 'utf-16be'],
];
const ZIP_ARCHIVE =
  'the file is a ZIP archive or a spreadsheet. Save a spreadsheet as CSV. Unpack an archive, or use the command suppressions ' +
  'import with a name that ends in .zip.';
/** Binary files that people send by mistake, by their first bytes. */
const BINARY_FORMATS: [magic: Buffer, problem: string][] = [
  [
    Buffer.from([0x1f, 0x8b]),
    'the file is compressed. Unpack it, let its name end in .gz at the command line or in the console, or send it to the API with ' +
      'the header Content-Encoding: gzip.',
  ],
  [Buffer.from('PK\x03'), ZIP_ARCHIVE],
  [Buffer.from('PK\x05'), ZIP_ARCHIVE],
  [Buffer.from([0xd0, 0xcf, 0x11]), 'the file is a spreadsheet. Save it as CSV.'],
];

/**
 * Turns a text file into UTF-8 without a byte order mark, piece by piece. UTF-16 is recognized by its byte order mark.
 *
 * @throws {UnreadableFileError} for any other encoding, and for NUL, which no text contains
 */
export async function* toUtf8(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { head, all } = await peek(file, (_piece, length) => length >= UTF8_BOM.length);
  const [, problem] = BINARY_FORMATS.find(([magic]) => head.subarray(0, magic.length).equals(magic)) ?? [];
  const encoding = utf16Of(head) ?? 'utf-8';
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  let line = 1;
  /** The beginning of a character that the next piece continues. */
  let held: Buffer = Buffer.alloc(0);
  const decode = (piece?: Buffer): Buffer => {
    const bytes = piece ? Buffer.concat([held, piece]) : held;
    let text: string;
    try {
      text = decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw new UnreadableFileError(
        'not_utf8',
        line + readableLines(bytes, encoding),
        'the file is not UTF-8. Save it as UTF-8, or as UTF-16 with a byte order mark.',
      );
    }
    held = bytes.subarray(encoding === 'utf-8' ? Buffer.byteLength(text) : text.length * 2);
    const nulAt = text.indexOf('\0');
    line += countLineFeeds(nulAt < 0 ? text : text.slice(0, nulAt));
    if (nulAt >= 0) {
      throw new UnreadableFileError(
        'nul_character',
        line,
        'the file is not text: it contains a NUL character.',
      );
    }
    return Buffer.from(piece === head ? text.replace(/^\ufeff/, '') : text);
  };
  for await (const piece of all) {
    // Thrown within the loop, so that the file is closed.
    if (problem !== undefined) {
      throw new UnreadableFileError('not_utf8', 1, problem);
    }
    yield decode(piece);
  }
  yield decode();
}

/** The number of line feeds before the first byte that cannot be decoded. Finds that byte by bisection. */
function readableLines(bytes: Buffer, encoding: Utf16 | 'utf-8'): number {
  let lines = 0;
  let readable = 0;
  let end = bytes.length;
  while (end - readable > 1) {
    const middle = (readable + end) >> 1;
    try {
      const decoder = new TextDecoder(encoding, { fatal: true });
      lines = countLineFeeds(decoder.decode(bytes.subarray(0, middle), { stream: true }));
      readable = middle;
    } catch {
      end = middle;
    }
  }
  return lines;
}

/** The encoding of a file that begins with the byte order mark of UTF-16, or null. */
export function utf16Of(head: Buffer): Utf16 | null {
  const [, encoding = null] = UTF16_BOMS.find(([bom]) => head.subarray(0, bom.length).equals(bom)) ?? [];
  return encoding;
}
