import type { Readable } from 'node:stream';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { FileTypeError } from '../errors/body-errors.js';
import { bodyOf } from './body-stream.js';
import { readFilePart } from './multipart-file.js';

const TEXT_TYPES = ['text/csv', 'text/plain', 'text/tab-separated-values'];
const JSON_TYPES = ['application/json', 'application/x-ndjson', 'application/ndjson'];
const FORM_TYPE = 'multipart/form-data';
const GZIP_NAME = /\.gz$/i;

/** A file that is arriving: as the body of a request, or in the field `file` of a form. */
export interface FileBody {
  file: Readable;
  isCompressed: boolean;
  /** The content type of the file as text. */
  type: string;
  /** Without `.gz`. Only a form has it. */
  filename: string | undefined;
}

/**
 * The file of a route with `body: 'unread'`. The argument says whether it may be JSON.
 *
 * @throws {FileTypeError} if the body is no file
 * @throws {ValidationError} if it is a form with anything but one file
 */
export const ReceivedFile = createParamDecorator(
  (hasJson: boolean, context: ExecutionContext): FileBody | Promise<FileBody> => {
    const request = context.switchToHttp().getRequest<Request>();
    const encoding = request.headers['content-encoding'] ?? 'identity';
    const isForm = Boolean(request.is(FORM_TYPE)) && encoding === 'identity';
    const types = hasJson ? [...TEXT_TYPES, ...JSON_TYPES] : TEXT_TYPES;
    if (!isForm && !(request.is(types) && ['identity', 'gzip'].includes(encoding))) {
      throw new FileTypeError(hasJson);
    }
    const file = bodyOf(context);
    discardAfterResponse(file, context.switchToHttp().getResponse<Response>());
    const type = request.headers['content-type']!;
    return isForm
      ? readForm(request, file)
      : { file, isCompressed: encoding === 'gzip', type, filename: undefined };
  },
);

async function readForm({ headers }: Request, body: Readable): Promise<FileBody> {
  const { file, filename, type } = await readFilePart(headers, body);
  return {
    file,
    isCompressed: GZIP_NAME.test(filename),
    type: TEXT_TYPES.includes(type) ? type : TEXT_TYPES[0]!,
    filename: filename.replace(GZIP_NAME, ''),
  };
}

/** The stream discards the rest when it is destroyed: some clients read the response only after they have sent everything. */
function discardAfterResponse(body: Readable, response: Response): void {
  response.once('finish', () => body.destroy());
}
