import { peek, toUtf8, utf16Of } from '../files/byte-streams.js';
import { BARE_RETURNS, hasBareReturns, lacksLineBreaks, NO_LINE_BREAKS } from '../files/csv-text.js';
import { UnreadableUploadError } from '../http/errors/body-errors.js';

const BOM = '\ufeff';

/** A file in an encoding that contains ASCII, and how its rows are written in the encoding that it had. */
export interface DecodedFile {
  file: AsyncIterable<Buffer>;
  encode(rows: Buffer): Buffer;
}

/**
 * Decodes a file of UTF-16, as Excel saves "Unicode Text", so that one reader keeps the rows of any file byte for byte. Other
 * files pass unchanged.
 *
 * @throws {UnreadableFileError} while it is read, if it is damaged
 */
export async function decodeUtf16(file: AsyncIterable<Buffer>): Promise<DecodedFile> {
  const { head, all } = await peek(file, (_piece, length) => length >= 2);
  const encoding = utf16Of(head);
  if (!encoding) {
    return { file: all, encode: (rows) => rows };
  }
  let prefix = BOM;
  const encode = (rows: Buffer) => {
    const bytes = Buffer.from(prefix + rows.toString(), 'utf16le');
    prefix = '';
    return encoding === 'utf-16be' ? bytes.swap16() : bytes;
  };
  return { file: toUtf8(all), encode };
}

/** Enough for empty lines and the longest header. */
const HEAD_LENGTH = 64 * 1024;
const UTF8_BOM = '\u00ef\u00bb\u00bf';
/** Neither white space nor a part of the byte order mark. */
const TEXT = /[^\s\u00ef\u00bb\u00bf]/;
const JSON_START = /^\s*[[{]/;

/**
 * Reads the beginning of a file, and returns all of it, in Latin-1.
 *
 * @throws {UnreadableUploadError}
 */
export async function readHead(
  file: AsyncIterable<Buffer>,
): Promise<{ head: string; texts: AsyncIterable<string> }> {
  const { head: bytes, all } = await peek(file, hasFirstLine());
  const head = bytes.toString('latin1');
  if (head.trim() === '') {
    throw new UnreadableUploadError(
      'The file is empty.',
      'Send the recipients as the body of the request, for example with curl -T campaign.csv.',
    );
  }
  if (head.includes('\0')) {
    throw new UnreadableUploadError(
      'The file is not text. Save a spreadsheet as CSV, and send gzip with the header Content-Encoding: gzip.',
    );
  }
  if (hasBareReturns(withoutBom(head))) {
    throw new UnreadableUploadError(BARE_RETURNS);
  }
  if (JSON_START.test(withoutBom(head))) {
    throw new UnreadableUploadError('A scrub accepts a CSV file or one address per line, but not JSON.');
  }
  if (lacksLineBreaks(head)) {
    throw new UnreadableUploadError(NO_LINE_BREAKS);
  }
  return { head, texts: latin1Of(all) };
}

/** Looks for the end of the first line that has text. */
function hasFirstLine(): (piece: Buffer, length: number) => boolean {
  let hasText = false;
  return (piece, length) => {
    const text = piece.toString('latin1');
    const start = hasText ? 0 : text.search(TEXT);
    hasText = start >= 0;
    return length >= HEAD_LENGTH || (hasText && text.includes('\n', start));
  };
}

/** @param latin1 - a text of UTF-8, or the beginning of one, in Latin-1 */
export function withoutBom(latin1: string): string {
  return latin1.startsWith(UTF8_BOM) ? latin1.slice(UTF8_BOM.length) : latin1;
}

async function* latin1Of(file: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const piece of file) {
    yield piece.toString('latin1');
  }
}
