import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
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
/** Binary files that people send by mistake, by their first bytes. */
const BINARY_FORMATS: [magic: Buffer, problem: string][] = [
  [Buffer.from([0x1f, 0x8b]), 'the file is compressed. Send it with the header Content-Encoding: gzip.'],
  [Buffer.from('PK\x03'), 'the file is a ZIP archive or a spreadsheet. Unpack it, or save it as CSV.'],
  [Buffer.from([0xd0, 0xcf, 0x11]), 'the file is a spreadsheet. Save it as CSV.'],
];
const LINE_FEED = 0x0a;
const NUL = 0x00;

/** Decodes a file piece by piece. The last call has no piece. */
type Decoder = (piece: Buffer | null, line: number) => Buffer;

/**
 * Turns a text file into UTF-8 without a byte order mark, piece by piece. UTF-16 is recognized by its byte order mark.
 *
 * @throws {UnreadableFileError} for any other encoding, and for NUL, which no text contains
 */
export async function* toUtf8(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let line = 1;
  let head: Buffer = Buffer.alloc(0);
  let decode: Decoder | undefined;
  for await (const piece of file) {
    const bytes: Buffer = decode ? piece : Buffer.concat([head, piece]);
    if (!decode && bytes.length < UTF8_BOM.length) {
      head = bytes;
      continue;
    }
    decode ??= decoderOf(bytes);
    const text = withoutNul(decode(bytes, line), line);
    line += countLineFeeds(text);
    yield text;
  }
  if (!decode) {
    decode = decoderOf(head);
    yield withoutNul(decode(head, line), line);
  }
  yield decode(null, line);
}

function decoderOf(head: Buffer): Decoder {
  const [, problem] = BINARY_FORMATS.find(([magic]) => head.subarray(0, magic.length).equals(magic)) ?? [];
  if (problem !== undefined) {
    throw new UnreadableFileError('not_utf8', 1, problem);
  }
  const encoding = utf16Of(head);
  return encoding ? utf16Decoder(encoding) : utf8Decoder();
}

/** The encoding of a file that begins with the byte order mark of UTF-16, or null. */
export function utf16Of(head: Buffer): Utf16 | null {
  const [, encoding = null] = UTF16_BOMS.find(([bom]) => head.subarray(0, bom.length).equals(bom)) ?? [];
  return encoding;
}

function utf16Decoder(encoding: Utf16): Decoder {
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (piece, line) => {
    try {
      return Buffer.from(decoder.decode(piece ?? undefined, { stream: piece !== null }));
    } catch {
      throw notUtf8(line);
    }
  };
}

/** Splits pieces between characters and passes them on as they are. */
function utf8Decoder(): Decoder {
  let isFirst = true;
  let rest: Buffer = Buffer.alloc(0);
  return (piece, line) => {
    let bytes: Buffer = piece ? Buffer.concat([rest, piece]) : rest;
    if (isFirst && bytes.subarray(0, UTF8_BOM.length).equals(UTF8_BOM)) {
      bytes = bytes.subarray(UTF8_BOM.length);
    }
    isFirst = false;
    const end = piece ? endOfLastCharacter(bytes) : bytes.length;
    rest = bytes.subarray(end);
    const text = bytes.subarray(0, end);
    if (!isUtf8(text)) {
      throw notUtf8(line + linesOfUtf8(text));
    }
    return text;
  };
}

/** Where the last complete character ends: a character has up to three continuation bytes (RFC 3629, section 3). */
function endOfLastCharacter(bytes: Buffer): number {
  const earliest = Math.max(0, bytes.length - 4);
  for (let start = bytes.length - 1; start >= earliest; start--) {
    const byte = bytes[start]!;
    if ((byte & 0xc0) !== 0x80) {
      const length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
      return start + length > bytes.length ? start : bytes.length;
    }
  }
  return bytes.length;
}

/** How many lines there are before the first one that is not UTF-8. */
function linesOfUtf8(bytes: Buffer): number {
  let lines = 0;
  let start = 0;
  for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
    if (!isUtf8(bytes.subarray(start, end))) {
      break;
    }
    lines++;
    start = end + 1;
  }
  return lines;
}

function withoutNul(text: Buffer, line: number): Buffer {
  const nulAt = text.indexOf(NUL);
  if (nulAt >= 0) {
    throw new UnreadableFileError(
      'nul_character',
      line + countLineFeeds(text.subarray(0, nulAt)),
      'the file is not text: it contains a NUL character.',
    );
  }
  return text;
}

function notUtf8(line: number): UnreadableFileError {
  return new UnreadableFileError(
    'not_utf8',
    line,
    'the file is not UTF-8. Save it as UTF-8, or as UTF-16 with a byte order mark.',
  );
}

function countLineFeeds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) {
    count++;
  }
  return count;
}
