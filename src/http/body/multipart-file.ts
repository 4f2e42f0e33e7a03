import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import busboy, { type Busboy } from 'busboy';
import { ValidationError } from '../errors/errors.js';
import { isCutOff } from '../errors/upload-problems.js';

const FIELD = 'file';
/** One more than is accepted, so that the second one is refused by its name. */
const MAX_PARTS = 2;

/** The file of a form. */
export interface FilePart {
  filename: string;
  type: string;
  file: Readable;
}

/**
 * Reads a `multipart/form-data` body up to its file. The file is a stream, which ends only after the form has ended, and fails if
 * anything follows the file.
 *
 * @param body - the bytes of the request
 * @throws {ValidationError} if the form is incomplete, has no file, or begins with another field
 */
export async function readFilePart(headers: IncomingHttpHeaders, body: Readable): Promise<FilePart> {
  const form = openForm(headers);
  const ended = pipeline(body, form).catch((error: unknown) => {
    throw isCutOff(error)
      ? ValidationError.ofRequest('The form did not arrive completely. Send it again.')
      : error;
  });
  return new Promise((resolve, reject) => {
    let files = 0;
    form.on('file', (name, stream, { filename, mimeType }) => {
      // Without a listener, the error of a stream that nobody reads ends the process.
      stream.on('error', () => undefined);
      files++;
      if (files > 1 || name !== FIELD || !filename) {
        form.destroy(refusal(name));
      } else {
        const file = Readable.from(untilFormEnds(stream, ended), { objectMode: false });
        resolve({ filename, type: mimeType, file });
      }
    });
    form.on('field', (name) => form.destroy(refusal(name)));
    form.on('partsLimit', () => form.destroy(refusal(undefined)));
    ended.then(() => reject(refusal(undefined)), reject);
  });
}

function openForm(headers: IncomingHttpHeaders): Busboy {
  try {
    return busboy({ headers, defParamCharset: 'utf8', limits: { parts: MAX_PARTS } });
  } catch {
    throw ValidationError.ofRequest(
      'The Content-Type of the form has no boundary. Leave the header to the client.',
    );
  }
}

/** @param name - of a field that the form must not have */
function refusal(name: string | undefined): ValidationError {
  const advice =
    'Send one file in the field file, for example with curl -F file=@list.csv. Parameters belong in the URL.';
  return ValidationError.ofRequest(
    name === undefined || name === FIELD
      ? `The form must have exactly one file. ${advice}`
      : `The form has a field ${JSON.stringify(name.slice(0, 100))}. ${advice}`,
  );
}

/** A file that is refused early is discarded, not destroyed, so that the client gets to read the response. */
async function* untilFormEnds(file: Readable, ended: Promise<void>): AsyncGenerator<Buffer> {
  try {
    for await (const piece of file.iterator({ destroyOnReturn: false })) {
      yield piece as Buffer;
    }
  } catch {
    // The form fails, too, and with the reason.
  } finally {
    file.resume();
  }
  await ended;
}
