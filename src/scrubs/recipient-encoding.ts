import { peek } from '../files/peek.js';
import { toUtf8, utf16Of } from '../files/utf8.js';

const BOM = '\ufeff';

/** A file in an encoding that contains ASCII, and how its rows are written in the encoding that it had. */
export interface DecodedFile {
  file: AsyncIterable<Buffer>;
  encode(rows: Buffer): Buffer;
}

/**
 * Decodes a file of UTF-16, as Excel saves "Unicode Text", so that one reader keeps the rows of any file byte for byte. Other files
 * pass unchanged.
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
