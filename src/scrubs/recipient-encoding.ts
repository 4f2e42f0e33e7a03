import { toUtf8, utf16Of } from '../files/utf8.js';

const BOM = '\ufeff';

/** A file in an encoding that contains ASCII, and how its rows are written in the encoding that it had. */
export interface DecodedFile {
  file: AsyncIterable<Buffer>;
  encode(rows: Buffer): Buffer;
}

/**
 * Decodes a file of UTF-16, as Excel saves "Unicode Text". Other files pass unchanged.
 *
 * @throws {UnreadableFileError} while it is read, if it is damaged
 */
export async function decodeUtf16(file: AsyncIterable<Buffer>): Promise<DecodedFile> {
  const pieces = file[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < BOM.length * 2) {
    const { value, done } = await pieces.next();
    if (done) {
      break;
    }
    head = Buffer.concat([head, value]);
  }
  const whole = concatenate(head, pieces);
  const encoding = utf16Of(head);
  if (!encoding) {
    return { file: whole, encode: (rows) => rows };
  }
  let prefix = BOM;
  const encode = (rows: Buffer) => {
    const bytes = Buffer.from(prefix + rows.toString(), 'utf16le');
    prefix = '';
    return encoding === 'utf-16be' ? bytes.swap16() : bytes;
  };
  return { file: toUtf8(whole), encode };
}

async function* concatenate(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    yield next.value;
  }
}
