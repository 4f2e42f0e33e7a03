import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy, { type Busboy } from 'busboy';
import type { ValidationError } from '../errors/errors.js';

const FIELD = 'file';
const MAX_VALUE_BYTES = 2_000;

/** Messages of the parser, whose errors have no codes. */
const CUT_OFF = /Unexpected end of|Malformed part header/;

/** What is wrong with a form. `other part` is a field or a file that the form must not have. */
export type FormProblem = 'incomplete' | 'no boundary' | 'no file' | 'other part' | 'long value';

export interface FormRules {
  /** The most fields before the file. */
  maxFields: number;
  /** @param name - the name of the field with the problem */
  refusal: (problem: FormProblem, name?: string) => ValidationError;
}

/** The file of a form, and the values of the fields before it. */
export interface FilePart {
  fields: Record<string, string>;
  filename: string;
  type: string;
  file: Readable;
}

/**
 * Reads a `multipart/form-data` body up to its file. The file is a stream, which ends only after the form has ended, and fails if
 * anything follows the file.
 *
 * @param body - the bytes of the request
 * @throws {ValidationError} if the form breaks the rules
 */
export async function readFilePart(
  headers: IncomingHttpHeaders,
  body: Readable,
  { maxFields, refusal }: FormRules,
): Promise<FilePart> {
  const form = openForm(headers, { maxFields, refusal });
  const ended = pipeline(body, form).catch((error: Error) => {
    throw CUT_OFF.test(error.message) ? refusal('incomplete') : error;
  });
  return new Promise((resolve, reject) => {
    const fields = new Map<string, string>();
    let files = 0;
    form.on('file', (name, stream, { filename, mimeType }) => {
      // Without a listener, the error of a stream that nobody reads ends the process.
      stream.on('error', () => undefined);
      files++;
      if (form.destroyed) {
        // A field before the file was refused. The rest of the file will not arrive.
        return;
      }
      if (files > 1 || name !== FIELD) {
        form.destroy(refusal('other part', name));
      } else if (!filename) {
        form.destroy(refusal('no file'));
      } else {
        const file = Readable.from(untilFormEnds(stream, ended), { objectMode: false });
        resolve({ fields: Object.fromEntries(fields), filename, type: mimeType, file });
      }
    });
    form.on('field', (name, value, { valueTruncated }) => {
      if (files > 0 || fields.size === maxFields) {
        form.destroy(refusal('other part', name));
      } else if (valueTruncated) {
        form.destroy(refusal('long value', name));
      }
      fields.set(name, value);
    });
    form.on('partsLimit', () => form.destroy(refusal('other part')));
    ended.then(() => reject(refusal('no file')), reject);
  });
}

function openForm(headers: IncomingHttpHeaders, { maxFields, refusal }: FormRules): Busboy {
  // One more part than is accepted is read, so that it is refused by its name.
  const limits = { parts: maxFields + 2, fieldSize: MAX_VALUE_BYTES };
  try {
    return busboy({ headers, defParamCharset: 'utf8', limits });
  } catch {
    throw refusal('no boundary');
  }
}

/** A file that is refused early is discarded, not destroyed, so that the client can read the response. */
async function* untilFormEnds(file: Readable, ended: Promise<void>): AsyncGenerator<Buffer> {
  try {
    for await (const piece of file.iterator({ destroyOnReturn: false })) {
      yield piece as Buffer;
    }
  } catch {
    // The form also fails, and its error has the reason.
  } finally {
    file.resume();
  }
  await ended;
}
